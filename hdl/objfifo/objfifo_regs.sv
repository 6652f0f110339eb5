// SPDX-License-Identifier: Apache-2.0
//
// objfifo_regs - the register map of the engine behind AXI4-Lite, and whether it runs.
//
// Map in docs/objfifo-engine.md. A write takes effect at the edge of `write`; a read takes its
// values at the edge of `read`, its data stands in the next cycle (latency 1). Throughput one of
// either a cycle, never both. Address bits 1:0 are ignored. What is not allowed answers an error
// and changes nothing.

`include "assertions.svh"

module objfifo_regs
  import objfifo_regs_pkg::*;
#(
  parameter  int unsigned NS        = 2,
  parameter  int unsigned NM        = 2,
  parameter  int unsigned NBD       = 48,
  parameter  int unsigned NLOCK     = 64,
  parameter  int unsigned MEM_WORDS = 131072,
  parameter  int unsigned WORD_W    = 32,
  localparam int unsigned C         = NS + NM,
  localparam int unsigned LANES     = WORD_W / 32
) (
  input  logic                  clk,
  input  logic                  rst_n,

  input  axil_pkg::request_t    request,
  output axil_pkg::response_t   response,

  input  logic                  start,
  output logic                  running,
  output logic                  clear,           // at this edge all channels are emptied
  output logic                  core,            // the engine stands for a core tile
  output logic [C-1:0]          cores,           // channels that stand for the core
  output logic [NM-1:0][31:0]   pad_values,      // of the MM2S channels
  output logic [NS-1:0]         out_of_order,    // S2MM channels that are

  // Channels
  output logic [C-1:0]          push,
  output objfifo_pkg::task_t    push_task,
  input  logic [C-1:0]          queue_full,
  input  logic [C-1:0][2:0]     queue_count,
  input  logic [C-1:0]          busy,
  input  logic [C-1:0]          stopped,
  output logic [C-1:0]          queue_overflow,

  // Status
  output logic [31:0]           irq_clear,
  output logic                  error_clear,
  output logic [C-1:0]          tokens_clear,
  input  logic [31:0]           irq_status,
  input  logic [31:0]           error,
  input  logic [C-1:0][31:0]    tokens,
  output logic                  irq,

  // Descriptor table
  output logic                  table_we,
  output logic [5:0]            table_wbd,
  output logic [3:0]            table_wword,
  output logic [31:0]           table_wdata,
  output logic [5:0]            table_rbd,
  input  logic                  table_rknown,
  input  logic [10:0][31:0]     table_rwords,

  // Locks
  output logic                  lock_we,
  output objfifo_pkg::lock_t    lock_wlock,
  input  logic [NLOCK-1:0][5:0] lock_values,

  // Memory window
  output logic                  window_access,
  output logic [LANES-1:0]      window_write,
  output logic [19:0]           window_address,
  output logic [31:0]           window_wdata,
  input  logic [WORD_W-1:0]     window_rdata
);

  logic        write;
  logic [15:0] write_addr;
  logic [31:0] write_data;
  logic [3:0]  write_strb;
  logic        write_error;
  logic        read;
  logic [15:0] read_addr;
  logic [31:0] read_data;
  logic        read_error;

  axil_regs #(
    .ADDR_W(16)
  ) u_axil (
    .aclk   (clk),
    .aresetn(rst_n),
    .request,
    .response,
    .write,
    .write_addr,
    .write_data,
    .write_strb,
    .write_error,
    .read,
    .read_addr,
    .read_data,
    .read_error
  );

  localparam logic [31:0] ConfigValue =
      (NS << ConfigNsLsb) | (NM << ConfigNmLsb) | (NBD << ConfigNbdLsb) |
      (NLOCK << ConfigNlockLsb) | (WORD_W << ConfigWordWLsb);

  // Bits of IRQ_STATUS that are there.
  localparam logic [31:0] IrqBits     =
      (32'd1 << IrqStatusErrorLsb) | (((32'd1 << C) - 32'd1) << IrqStatusTokenLsb);

  localparam logic [3:0] LastBdWord = OffsetBdControl[5:2];

  logic [15:0] waddr;   // of the word
  logic [15:0] raddr;

  assign waddr = {write_addr[15:2], 2'b00};
  assign raddr = {read_addr[15:2], 2'b00};

  // One set of C registers lies within 16 words, a descriptor too.
  function automatic logic in_channels(input logic [15:0] addr, input logic [15:0] first);
    in_channels = addr >= first && addr < first + 16'(StrideChannel * C);
  endfunction

  function automatic logic in_pads(input logic [15:0] addr);
    in_pads = addr >= AddrPadValue && addr < AddrPadValue + 16'(StridePadValue * NM);
  endfunction

  function automatic logic in_table(input logic [15:0] addr);
    in_table = addr >= AddrBd && addr < AddrBd + 16'(StrideBd * NBD) &&
        {10'd0, addr[5:0]} <= OffsetBdControl;
  endfunction

  function automatic logic in_locks(input logic [15:0] addr);
    in_locks = addr >= AddrLock && addr < AddrLock + 16'(StrideLock * NLOCK);
  endfunction

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Memory window
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        running_q;
  logic [1:0]  lane_q;
  logic [19:0] mem_address_q;
  logic        mem_open;
  logic        mem_write;
  logic        mem_read;
  logic        wr_mem_address;

  // Words that are not there are outside the map too.
  assign mem_open = !running_q && {1'b0, mem_address_q} < 21'(MEM_WORDS);

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      mem_address_q <= '0;
      lane_q        <= '0;
    end else if (wr_mem_address) begin
      mem_address_q <= write_data[MemAddressWidth-1:0];
      lane_q        <= '0;
    end else if (mem_write || mem_read) begin
      if (lane_q == 2'(LANES - 1)) begin
        mem_address_q <= mem_address_q + 20'd1;
        lane_q        <= '0;
      end else begin
        lane_q <= lane_q + 2'd1;
      end
    end
  end

  always_comb begin
    for (int unsigned l = 0; l < LANES; l++) begin
      window_write[l] = mem_write && lane_q == 2'(l);
    end
  end

  assign window_access  = mem_write || mem_read;
  assign window_address = mem_address_q;
  assign window_wdata   = write_data;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Writes
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic         do_write;
  logic         wr_ctrl;
  logic         wr_irq_mask;
  logic         wr_irq_status;
  logic [C-1:0] wr_task;
  logic         wr_pad;
  logic         wr_order;

  assign do_write       = write && write_strb == '1;
  assign wr_ctrl        = do_write && waddr == AddrCtrl;
  assign wr_irq_status  = do_write && waddr == AddrIrqStatus;
  assign wr_irq_mask    = do_write && waddr == AddrIrqMask;
  assign error_clear    = do_write && waddr == AddrError;
  assign wr_mem_address = do_write && waddr == AddrMemAddress;
  assign mem_write      = do_write && waddr == AddrMemData && mem_open;
  assign table_we       = do_write && in_table(waddr) && !running_q;
  assign lock_we        = do_write && in_locks(waddr);
  assign wr_order       = do_write && waddr == AddrOutOfOrder && !running_q;
  assign wr_pad         = do_write && in_pads(waddr) && !running_q;

  always_comb begin
    for (int unsigned c = 0; c < C; c++) begin
      wr_task[c]      = do_write && in_channels(waddr, AddrTask) && waddr[5:2] == 4'(c);
      tokens_clear[c] = do_write && in_channels(waddr, AddrTokens) && waddr[5:2] == 4'(c);
    end
  end

  assign push           = wr_task & ~queue_full;
  assign queue_overflow = wr_task & queue_full;
  assign push_task      = '{
    token: write_data[TaskTokenLsb], repeats: write_data[TaskRepeatLsb+:TaskRepeatWidth],
    start: write_data[TaskStartLsb+:TaskStartWidth]
  };

  assign irq_clear   = wr_irq_status ? write_data : '0;
  assign table_wbd   = waddr[11:6];
  assign table_wword = waddr[5:2];
  assign table_wdata = write_data;
  assign lock_wlock  = {waddr[7:2], write_data[LockWidth-1:0]};

  assign write_error = !(wr_ctrl || wr_irq_status || wr_irq_mask || error_clear ||
      wr_mem_address || mem_write || table_we || lock_we || wr_pad || wr_order ||
      tokens_clear != '0 || push != '0);

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Armed and running
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic          armed_q;
  logic          core_q;
  logic [C-1:0]  cores_q;
  logic [NS-1:0] order_q;
  logic [31:0]   irq_mask_q;

  assign clear = wr_ctrl && !write_data[CtrlArmedLsb];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      armed_q    <= 1'b0;
      core_q     <= 1'b0;
      cores_q    <= '0;
      order_q    <= '0;
      running_q  <= 1'b0;
      irq_mask_q <= '0;
    end else begin
      if (wr_ctrl) begin
        armed_q <= write_data[CtrlArmedLsb];
        core_q  <= write_data[CtrlCoreLsb];
        cores_q <= write_data[CtrlCoresLsb+:C];
      end
      running_q <= !clear && (running_q || (start && armed_q));
      if (wr_order) begin
        order_q <= write_data[OutOfOrderChannelsLsb+:NS];
      end
      if (wr_irq_mask) begin
        irq_mask_q <= write_data & IrqBits;
      end
    end
  end

  logic [NM-1:0][31:0] pad_values_q;

  always_ff @(posedge clk) begin
    for (int unsigned m = 0; m < NM; m++) begin
      if (!rst_n) begin
        pad_values_q[m] <= '0;
      end else if (wr_pad && waddr[5:2] == 4'(m)) begin
        pad_values_q[m] <= write_data;
      end
    end
  end

  assign pad_values = pad_values_q;

  assign out_of_order = order_q;

  assign core    = core_q;
  assign cores   = cores_q;
  assign running = running_q;
  assign irq     = (irq_status & irq_mask_q) != '0;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Reads
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic        rd_legal;
  logic [31:0] rd_value;
  logic        rd_mem_data;

  assign rd_mem_data = raddr == AddrMemData && mem_open;
  assign mem_read    = read && rd_mem_data;
  assign table_rbd   = raddr[11:6];

  always_comb begin
    rd_legal = 1'b1;
    rd_value = '0;
    if (in_table(raddr)) begin
      rd_legal = !running_q;
      for (int unsigned w = 0; w <= 32'(LastBdWord); w++) begin
        if (table_rknown && raddr[5:2] == 4'(w)) begin
          rd_value = table_rwords[w];
        end
      end
    end else if (in_locks(raddr)) begin
      for (int unsigned l = 0; l < NLOCK; l++) begin
        if (raddr[7:2] == 6'(l)) begin
          rd_value = 32'(lock_values[l]);
        end
      end
    end else if (in_channels(raddr, AddrChannel)) begin
      for (int unsigned c = 0; c < C; c++) begin
        if (raddr[5:2] == 4'(c)) begin
          rd_value[ChannelBusyLsb]                      = busy[c];
          rd_value[ChannelStoppedLsb]                   = stopped[c];
          rd_value[ChannelQueueLsb+:ChannelQueueWidth] = queue_count[c];
        end
      end
    end else if (in_channels(raddr, AddrTokens)) begin
      for (int unsigned c = 0; c < C; c++) begin
        if (raddr[5:2] == 4'(c)) begin
          rd_value = tokens[c];
        end
      end
    end else if (in_pads(raddr)) begin
      for (int unsigned m = 0; m < NM; m++) begin
        if (raddr[5:2] == 4'(m)) begin
          rd_value = pad_values_q[m];
        end
      end
    end else begin
      case (raddr)
        AddrId:         rd_value = ResetId;
        AddrConfig:     rd_value = ConfigValue;
        AddrCtrl: begin
          rd_value[CtrlArmedLsb]     = armed_q;
          rd_value[CtrlCoreLsb]      = core_q;
          rd_value[CtrlCoresLsb+:C] = cores_q;
        end
        AddrIrqStatus:  rd_value = irq_status;
        AddrIrqMask:    rd_value = irq_mask_q;
        AddrError:      rd_value = error;
        AddrOutOfOrder: rd_value = 32'(order_q);
        AddrMemAddress: rd_value = 32'(mem_address_q);
        // Its value comes from the RAM, in the next cycle.
        AddrMemData:    rd_legal = rd_mem_data;
        default:        rd_legal = 1'b0;
      endcase
    end
  end

  logic                   rd_error_q;
  logic                   rd_from_memory_q;
  logic [1:0]             rd_lane_q;
  logic [31:0]            rd_value_q;
  logic [LANES-1:0][31:0] window_lanes;

  always_ff @(posedge clk) begin
    rd_error_q       <= !rd_legal;
    rd_from_memory_q <= rd_mem_data;
    rd_lane_q        <= lane_q;
    rd_value_q       <= rd_value;
  end

  assign window_lanes = window_rdata;
  assign read_error   = rd_error_q;

  always_comb begin
    read_data = rd_value_q;
    for (int unsigned l = 0; l < LANES; l++) begin
      if (rd_from_memory_q && rd_lane_q == 2'(l)) begin
        read_data = window_lanes[l];
      end
    end
  end

  // Addresses are those of whole words.
  logic unused_address_bits;
  assign unused_address_bits = ^{write_addr[1:0], read_addr[1:0]};

  `ASSERT(write_and_read_apart, !(write && read), clk, rst_n)

endmodule
