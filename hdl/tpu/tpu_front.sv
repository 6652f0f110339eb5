// SPDX-License-Identifier: Apache-2.0
//
// tpu_front - the command front ends of CORES cores with ENGINES engines each (TIU, GDMA, and for
// ENGINES = 3 SDMA), and what keeps them in step.
//
// Contract, cycle by cycle, and register map in docs/tpu-engine.md. Each engine reads its stream
// of commands by an AXI4 master of its own and gives whole commands on its m_axis; a stub takes
// the time of their execution. start and evt are one-way streams without ready.
//
// Latency: start trigger to the first address 3 cycles, memory beat to dispatch 4 cycles.
// Throughput 16 bytes per cycle and engine. m_axis_tvalid and irq are gates behind flip-flops,
// every other valid and ready output is a flip-flop.

`include "axi.svh"
`include "axil.svh"
`include "axis.svh"

module tpu_front
  import tpu_pkg::*;
#(
  parameter  int unsigned CHIP    = 0,
  parameter  int unsigned CORES   = 1,
  parameter  int unsigned ENGINES = 2,
  parameter  int unsigned DEPTH   = 8,
  parameter  int unsigned NMSG    = 512,
  localparam int unsigned N       = CORES * ENGINES
) (
  input  logic                 aclk,
  input  logic                 aresetn,

  `AXIL_SLAVE_PORTS(s_axil, , 16),

  input  logic [7:0]           start_tdata,
  input  logic                 start_tvalid,

  `AXI_READ_PORTS(m_axi, [N-1:0], 40, 128),

  `AXIS_MASTER_PORTS(m_axis, [N-1:0], 1024),
  output logic [N-1:0][33:0] m_axis_tuser,

  output logic [N-1:0][31:0]   evt_tdata,
  output logic [N-1:0]         evt_tvalid,

  output logic                 irq
);

  if (CORES == 0 || CORES > 8) begin : gen_bad_cores
    $fatal(1, "tpu_front: CORES must be 1 to 8");
  end
  if (ENGINES < 2 || ENGINES > 3) begin : gen_bad_engines
    $fatal(1, "tpu_front: ENGINES must be 2 or 3");
  end
  if (DEPTH < 2 || DEPTH > 64 || (DEPTH & (DEPTH - 1)) != 0) begin : gen_bad_depth
    $fatal(1, "tpu_front: DEPTH must be a power of two, 2 to 64");
  end
  if (NMSG < 2 || NMSG > 512 || (NMSG & (NMSG - 1)) != 0) begin : gen_bad_nmsg
    $fatal(1, "tpu_front: NMSG must be a power of two, 2 to 512");
  end

  localparam int unsigned BeatW = $clog2(8 * DEPTH + 1);

  logic clear;
  logic part_rst_n;   // of all that CLEAR resets
  logic rready_q;

  assign part_rst_n = aresetn && !clear;

  always_ff @(posedge aclk) begin
    rready_q <= aresetn;
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Groups
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic                  enabled;
  logic                  halted;
  logic [CORES-1:0]      push;
  group_t [N-1:0]        push_group;
  logic [CORES-1:0]      full;
  logic [CORES-1:0][2:0] waiting;
  logic [CORES-1:0]      pop;
  group_t [N-1:0]        pop_group;
  logic [N-1:0]          done;
  logic [CORES-1:0]      run;
  logic [CORES-1:0]      finished;

  for (genvar c = 0; c < CORES; c++) begin : gen_core
    tpu_groups #(
      .ENGINES(ENGINES)
    ) u_groups (
      .clk       (aclk),
      .rst_n     (part_rst_n),
      .enabled,
      .halted,
      .push      (push[c]),
      .push_group(push_group[ENGINES*c +: ENGINES]),
      .full      (full[c]),
      .waiting   (waiting[c]),
      .pop       (pop[c]),
      .pop_group (pop_group[ENGINES*c +: ENGINES]),
      .done      (done[ENGINES*c +: ENGINES]),
      .run       (run[c]),
      .finished  (finished[c])
    );
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Engines
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [N-1:0][23:0]      current;
  logic [N-1:0]            send;
  logic [N-1:0][8:0]       send_message;
  logic [N-1:0][6:0]       send_count;
  logic [N-1:0]            grant;
  logic [N-1:0][8:0]       head_message;
  logic [N-1:0][15:0]      sent;
  times_t                  times;
  logic [N-1:0]            table_we;
  logic [N-1:0]            free;
  logic [N-1:0]            waits;
  logic [N-1:0][3:0]       fault;
  logic [N-1:0][23:0]      head_id;
  logic [N-1:0]            reading;
  logic [N-1:0][BeatW-1:0] level;

  for (genvar n = 0; n < N; n++) begin : gen_engine
    // The TIU waits for the GDMA of its core, both DMAs for its TIU.
    localparam int unsigned Other = n % ENGINES == 0 ? n + 1 : n - n % ENGINES;

    tpu_engine #(
      .CHIP (CHIP),
      .DMA  (n % ENGINES != 0),
      .DEPTH(DEPTH),
      .NMSG (NMSG)
    ) u_engine (
      .clk          (aclk),
      .rst_n        (part_rst_n),
      .halted,
      .load         (pop[n/ENGINES]),
      .group        (pop_group[n]),
      .load_other   (pop_group[Other].count),
      .done         (done[n]),
      .m_axi_araddr (m_axi_araddr[n]),
      .m_axi_arvalid(m_axi_arvalid[n]),
      .m_axi_arready(m_axi_arready[n]),
      .m_axi_rdata  (m_axi_rdata[n]),
      .m_axi_rresp  (m_axi_rresp[n]),
      .m_axi_rvalid (m_axi_rvalid[n]),
      .m_axi_rready (m_axi_rready[n]),
      `AXIS_PINS(m_axis, m_axis, [n]),
      .m_axis_tuser (m_axis_tuser[n]),
      .evt_tvalid   (evt_tvalid[n]),
      .evt_tdata    (evt_tdata[n]),
      .other_current(current[Other]),
      .current      (current[n]),
      .send         (send[n]),
      .send_message (send_message[n]),
      .send_count   (send_count[n]),
      .grant        (grant[n]),
      .head_message (head_message[n]),
      .sent         (sent[n]),
      .times,
      .table_we     (table_we[n]),
      .free         (free[n]),
      .waits        (waits[n]),
      .fault        (fault[n]),
      .head_id      (head_id[n]),
      .reading      (reading[n]),
      .level        (level[n])
    );

    assign m_axi_arlen[n]   = 8'd7;
    assign m_axi_arsize[n]  = 3'd4;
    assign m_axi_arburst[n] = 2'b01;
    assign m_axi_rready[n]  = rready_q;
  end

  logic [NMSG-1:0][15:0] all_sent;
  logic [NMSG-1:0][6:0]  all_left;

  tpu_messages #(
    .N   (N),
    .NMSG(NMSG)
  ) u_messages (
    .clk  (aclk),
    .rst_n(part_rst_n),
    .send,
    .send_message,
    .send_count,
    .grant,
    .head_message,
    .sent,
    .all_sent,
    .all_left
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Errors and registers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [23:0] timeout;
  logic        raised;
  logic [3:0]  error_code;
  logic [2:0]  error_core;
  logic [1:0]  error_engine;
  logic [23:0] error_id;

  tpu_errors #(
    .CORES  (CORES),
    .ENGINES(ENGINES)
  ) u_errors (
    .clk   (aclk),
    .rst_n (part_rst_n),
    .timeout,
    .free,
    .fault,
    .waits,
    .done,
    .head_id,
    .run,
    .pop,
    .halted,
    .raised,
    .code  (error_code),
    .core  (error_core),
    .engine(error_engine),
    .id    (error_id)
  );

  axil_pkg::request_t  request;
  axil_pkg::response_t response;

  `AXIL_SLAVE_JOIN(s_axil, request, response)

  tpu_regs #(
    .CHIP   (CHIP),
    .CORES  (CORES),
    .ENGINES(ENGINES),
    .DEPTH  (DEPTH),
    .NMSG   (NMSG)
  ) u_regs (
    .clk         (aclk),
    .rst_n       (aresetn),
    .request,
    .response,
    .start       (start_tvalid),
    .may_clear   (m_axis_tvalid == '0 && reading == '0),
    .clear,
    .enabled,
    .timeout,
    .times,
    .table_we,
    .push,
    .push_group,
    .full,
    .waiting,
    .run,
    .finished,
    .halted,
    .raised,
    .error_code,
    .error_core,
    .error_engine,
    .error_id,
    .sent        (all_sent),
    .left        (all_left),
    .current,
    .done,
    .waits,
    .free,
    .fault,
    .level,
    .irq
  );

  // Bursts are of a known length, the trigger's data have no meaning.
  logic unused_inputs;
  assign unused_inputs = ^{m_axi_rlast, start_tdata};

endmodule
