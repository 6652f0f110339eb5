// SPDX-License-Identifier: Apache-2.0
//
// nvdla_write_port - writes one burst after the other for all who write, in turn where several may.
//
// Idle, grant, address, data, idle: a burst of n beats takes n + 2 cycles on a bus that is always
// ready. An engine gets no grant while MaxWrites of its writes are without response.

`include "assertions.svh"

module nvdla_write_port
  import nvdla_pkg::*;
(
  input  logic                   clk,
  input  logic                   rst_n,

  input  burst_t [Writers-1:0]   burst,
  input  logic [Writers-1:0][63:0] data,
  output written_t [Writers-1:0] answer,

  output address_t               aw,
  input  logic                   awready,
  output logic                   wvalid,
  input  logic                   wready,
  output logic [63:0]            wdata,
  output logic [7:0]             wstrb,
  output logic                   wlast,
  input  logic                   bvalid,
  input  logic [7:0]             bid
);

  localparam int unsigned PickW = $clog2(Writers);

  typedef enum logic [1:0] {Idle, Address, Data} state_t;

  state_t      state_q;
  logic [31:0] addr_q;
  logic [3:0]  len_q;
  logic [3:0]  beat_q;
  logic        load;

  logic [PickW-1:0]   pick;
  logic [PickW-1:0]   pick_q;    // whose burst is written
  logic [PickW-1:0]   last_q;    // granted last
  logic [Writers-1:0] may;
  logic [Writers-1:0] grant;
  logic [Writers-1:0] done;      // a response
  logic [2:0]         id;

  logic [Writers-1:0][3:0] open_q;   // writes without response

  always_comb begin
    for (int unsigned e = 0; e < Writers; e++) begin
      may[e]  = burst[e].ask && open_q[e] < 4'(MaxWrites);
      done[e] = bvalid && bid[2:0] == 3'(WriterIds[e]);
    end
    // The first one that may behind the one granted last, in a cycle.
    pick = last_q;
    for (int unsigned n = Writers; n >= 1; n--) begin
      for (int unsigned e = 0; e < Writers; e++) begin
        if (may[e] && (32'(last_q) + n) % Writers == e) begin
          pick = PickW'(e);
        end
      end
    end
    load = state_q == Idle && may != '0;
    grant = '0;
    grant[pick] = load;
    for (int unsigned e = 0; e < Writers; e++) begin
      answer[e] = {grant[e], wvalid && wready && pick_q == PickW'(e), open_q[e] == '0};
    end
    id = '0;
    for (int unsigned e = 0; e < Writers; e++) begin
      if (pick_q == PickW'(e)) begin
        id = 3'(WriterIds[e]);
      end
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      open_q <= '0;
    end else begin
      for (int unsigned e = 0; e < Writers; e++) begin
        open_q[e] <= open_q[e] + 4'(grant[e]) - 4'(done[e]);
      end
    end
  end

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      state_q <= Idle;
      last_q  <= PickW'(Writers - 1);
    end else begin
      case (state_q)
        Idle: begin
          if (load) begin
            state_q <= Address;
            last_q  <= pick;
          end
        end
        Address: begin
          if (awready) begin
            state_q <= Data;
          end
        end
        default: begin
          if (wready && wlast) begin
            state_q <= Idle;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk) begin
    if (load) begin
      pick_q <= pick;
      addr_q <= burst[pick].addr;
      len_q  <= burst[pick].len;
      beat_q <= '0;
    end else if (wvalid && wready) begin
      beat_q <= beat_q + 4'd1;
    end
  end

  assign aw     = {state_q == Address, 8'(id), len_q, addr_q};
  assign wvalid = state_q == Data;
  assign wdata  = data[pick_q];
  assign wstrb  = '1;
  assign wlast  = beat_q == len_q;

  // Few write: the other bits of an ID are 0.
  logic unused;
  assign unused = &{1'b0, bid[7:3]};

  `ASSERT(one_grant, $onehot0(grant) && (grant & ~may) == '0, clk, rst_n)
  `ASSERT_STABLE(address_held, aw.valid && !awready, aw, clk, rst_n)
  `ASSERT_STABLE(data_held, wvalid && !wready, {wvalid, wdata, wlast}, clk, rst_n)

  for (genvar e = 0; e < Writers; e++) begin : gen_engine
    `ASSERT(writes_within_limit, open_q[e] <= 4'(MaxWrites), clk, rst_n)
    `ASSERT(answer_of_a_write, !done[e] || open_q[e] != '0, clk, rst_n)
  end

endmodule
