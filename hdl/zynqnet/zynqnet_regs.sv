// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_regs - the register map of docs/zynqnet-hardware.md, start and done, interrupt.
//
// `start` is high two cycles after the data handshake of the write that starts. `done` makes
// AP_DONE, AP_READY and the interrupt visible in the next cycle; with auto-restart, `start` is high
// in the one after that.

module zynqnet_regs
  import zynqnet_pkg::*;
#(
  parameter int unsigned NPE       = 16,
  parameter int unsigned DATA_W    = 128,
  parameter bit          INT8      = 1'b0,
  parameter int unsigned LINES     = 8,
  parameter int unsigned MEM_WORDS = 5965344
) (
  input  logic           aclk,
  input  logic           aresetn,
  output logic           irq,

  input  axil_pkg::request_t  request,
  output axil_pkg::response_t response,

  output registers_t     registers,
  output logic           start,
  input  logic           busy,          // from start to done
  input  logic           done,
  input  logic           failed,        // with an error

  input  error_t         error,
  input  logic [31:0]    cycles,
  input  walker_counts_t counts,
  input  logic [31:0]    read_beats,
  input  logic [31:0]    write_beats,
  input  logic [31:0]    layers,
  input  logic [31:0]    first_issue
);

  logic        write, write_known, read, read_known;
  logic [11:0] write_address, read_address;
  logic [31:0] write_data, read_data, read_data_q, mask;
  logic        read_known_q;
  logic [3:0]  write_strobe;

  axil_regs #(.ADDR_W(12)) u_axil (
    .aclk, .aresetn,
    .request,
    .response,
    .write, .write_addr(write_address), .write_data, .write_strb(write_strobe),
    .write_error(!write_known),
    .read, .read_addr(read_address), .read_data(read_data_q), .read_error(!read_known_q)
  );

  registers_t  r_q;
  logic [63:0] name_q;
  logic        pad_q;
  logic        done_q, ready_q, restart_q, gie_q, wanted_q, again_q;
  logic [1:0]  ier_q, isr_q;

  always_comb begin
    for (int unsigned i = 0; i < 4; i++) mask[8*i +: 8] = {8{write_strobe[i]}};
  end

  // The new value of a register: strobed bytes of the write, the others stay.
  function automatic logic [31:0] merged(logic [31:0] old, logic [31:0] data, logic [31:0] strobed);
    return (old & ~strobed) | (data & strobed);
  endfunction

  always_comb begin
    write_known = 1'b1;
    case (write_address)
      12'h000, 12'h004, 12'h008, 12'h00C, 12'h010, 12'h014, 12'h018, 12'h020,
      12'h028, 12'h030, 12'h038, 12'h040, 12'h048, 12'h050, 12'h058, 12'h060,
      12'h068, 12'h070, 12'h078, 12'h080, 12'h088, 12'h090, 12'h098, 12'h0A0,
      12'h0B0, 12'h0B8: ;
      default: write_known = 1'b0;
    endcase
  end

  always_comb begin
    read_known = 1'b1;
    read_data  = '0;
    case (read_address)
      12'h000: read_data = {24'd0, restart_q, 3'd0, ready_q, !busy, done_q, busy};
      12'h004: read_data = 32'(gie_q);
      12'h008: read_data = 32'(ier_q);
      12'h00C: read_data = 32'(isr_q);
      12'h010: read_data = name_q[31:0];
      12'h014: read_data = name_q[63:32];
      12'h018: read_data = 32'(r_q.width);
      12'h020: read_data = 32'(r_q.height);
      12'h028: read_data = 32'(r_q.ch_in);
      12'h030: read_data = 32'(r_q.ch_out);
      12'h038: read_data = 32'(r_q.kernel);
      12'h040: read_data = 32'(r_q.stride);
      12'h048: read_data = 32'(pad_q);
      12'h050: read_data = 32'(r_q.relu);
      12'h058: read_data = 32'(r_q.split1);
      12'h060: read_data = 32'(r_q.split2);
      12'h068: read_data = 32'(r_q.gpool);
      12'h070: read_data = 32'(r_q.mem_in);
      12'h078: read_data = 32'(r_q.mem_out);
      12'h080: read_data = 32'(r_q.mem_weights);
      12'h088: read_data = r_q.dram_base;
      12'h090: read_data = 32'(r_q.weights_offset);
      12'h098: read_data = 32'(r_q.num_weights);
      12'h0A0: read_data = 32'(r_q.input_offset);
      12'h0B0: read_data = {8'd0, r_q.shift_concat, r_q.shift_out, r_q.shift_bias};
      12'h0B8: read_data = 32'(r_q.mem_words);
      12'h100: read_data = 32'h5A4E_4554;
      12'h104: read_data = {8'd0, 4'(LINES), 3'd0, INT8, 8'(DATA_W / 32), 8'(NPE)};
      12'h108: read_data = 32'(error);
      12'h10C: read_data = cycles;
      12'h110: read_data = counts.issues;
      12'h114: read_data = counts.wait_weights;
      12'h118: read_data = counts.wait_pixels;
      12'h11C: read_data = counts.wait_write;
      12'h120: read_data = counts.bubbles;
      12'h124: read_data = read_beats;
      12'h128: read_data = write_beats;
      12'h12C: read_data = layers;
      12'h130: read_data = first_issue;
      default: read_known = 1'b0;
    endcase
  end

  always_ff @(posedge aclk) begin
    read_data_q  <= read_data;
    read_known_q <= read_known;
  end

  logic clear_done;

  assign clear_done = read && read_address == 12'h000;
  assign irq  = gie_q && isr_q != '0;
  assign registers  = r_q;

  always_ff @(posedge aclk) begin
    if (!aresetn) begin
      r_q           <= '0;
      r_q.mem_words <= 23'(MEM_WORDS);
      name_q        <= '0;
      pad_q         <= 1'b0;
      done_q        <= 1'b0;
      ready_q       <= 1'b0;
      restart_q     <= 1'b0;
      gie_q         <= 1'b0;
      ier_q         <= '0;
      isr_q         <= '0;
      start         <= 1'b0;
      wanted_q      <= 1'b0;
      again_q       <= 1'b0;
    end else begin
      wanted_q <= write && write_address == 12'h000 && mask[0] && write_data[0];
      again_q  <= done && restart_q && !failed;
      start    <= (wanted_q && !busy) || again_q;
      done_q  <= done || (done_q && !clear_done);
      ready_q <= done || (ready_q && !clear_done);
      isr_q   <= (isr_q ^ (write && write_address == 12'h00C ? write_data[1:0] & mask[1:0] : 2'b00))
          | (ier_q & {2{done}});
      if (write) begin
        case (write_address)
          12'h000: restart_q          <= 1'(merged(32'(restart_q) << 7, write_data, mask) >> 7);
          12'h004: gie_q              <= 1'(merged(32'(gie_q), write_data, mask));
          12'h008: ier_q              <= 2'(merged(32'(ier_q), write_data, mask));
          12'h010: name_q[31:0]       <= merged(name_q[31:0], write_data, mask);
          12'h014: name_q[63:32]      <= merged(name_q[63:32], write_data, mask);
          12'h018: r_q.width          <= 9'(merged(32'(r_q.width), write_data, mask));
          12'h020: r_q.height         <= 9'(merged(32'(r_q.height), write_data, mask));
          12'h028: r_q.ch_in          <= 10'(merged(32'(r_q.ch_in), write_data, mask));
          12'h030: r_q.ch_out         <= 10'(merged(32'(r_q.ch_out), write_data, mask));
          12'h038: r_q.kernel         <= 2'(merged(32'(r_q.kernel), write_data, mask));
          12'h040: r_q.stride         <= 2'(merged(32'(r_q.stride), write_data, mask));
          12'h048: pad_q              <= 1'(merged(32'(pad_q), write_data, mask));
          12'h050: r_q.relu           <= 1'(merged(32'(r_q.relu), write_data, mask));
          12'h058: r_q.split1         <= 1'(merged(32'(r_q.split1), write_data, mask));
          12'h060: r_q.split2         <= 1'(merged(32'(r_q.split2), write_data, mask));
          12'h068: r_q.gpool          <= 1'(merged(32'(r_q.gpool), write_data, mask));
          12'h070: r_q.mem_in         <= 23'(merged(32'(r_q.mem_in), write_data, mask));
          12'h078: r_q.mem_out        <= 23'(merged(32'(r_q.mem_out), write_data, mask));
          12'h080: r_q.mem_weights    <= 23'(merged(32'(r_q.mem_weights), write_data, mask));
          12'h088: r_q.dram_base      <= merged(r_q.dram_base, write_data, mask);
          12'h090: r_q.weights_offset <= 23'(merged(32'(r_q.weights_offset), write_data, mask));
          12'h098: r_q.num_weights    <= 19'(merged(32'(r_q.num_weights), write_data, mask));
          12'h0A0: r_q.input_offset   <= 23'(merged(32'(r_q.input_offset), write_data, mask));
          12'h0B0: {r_q.shift_concat, r_q.shift_out, r_q.shift_bias}
                     <= 24'(merged({8'd0, r_q.shift_concat, r_q.shift_out, r_q.shift_bias},
                         write_data, mask));
          12'h0B8: r_q.mem_words      <= 23'(merged(32'(r_q.mem_words), write_data, mask));
          default: ;
        endcase
      end
    end
  end

endmodule
