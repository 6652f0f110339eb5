// SPDX-License-Identifier: Apache-2.0
//
// objfifo_dma - the DMA engine of object FIFOs: NS stream-to-memory and NM memory-to-stream
// channels on one banked memory, driven by buffer descriptors and kept in order by counting locks.
//
// Contract, cycle by cycle, and register map in docs/objfifo-engine.md. Channels are numbered S2MM
// first. start, evt and lock are one-way streams without ready: the start trigger, finished
// descriptors, lock values after a change.
//
// Latency: start trigger to the first word 6 edges with an acquire, 5 without; input transfer to
// memory 1 cycle; memory to output transfer 3 cycles. Throughput one word a cycle and channel, no
// bubble between descriptors, as far as banks and locks allow. s_axis_tready, m_axis_tvalid, the
// one-way outputs and all AXI-Lite ready and valid are flip-flops; the stream inputs' TKEEP and
// TLAST are ignored. irq is a gate behind flip-flops.

`include "axil.svh"
`include "axis.svh"

module objfifo_dma
  import objfifo_pkg::*;
#(
  parameter  int unsigned NS        = 2,
  parameter  int unsigned NM        = 2,
  parameter  int unsigned NBD       = 48,
  parameter  int unsigned NLOCK     = 64,
  parameter  int unsigned NBANK     = 16,
  parameter  int unsigned MEM_WORDS = 131072,
  parameter  int unsigned WORD_W    = 32,
  localparam int unsigned C         = NS + NM
) (
  input  logic                        aclk,
  input  logic                        aresetn,

  `AXIL_SLAVE_PORTS(s_axil, , 16),

  `AXIS_SLAVE_PORTS(s_axis, [NS-1:0], WORD_W),

  `AXIS_MASTER_PORTS(m_axis, [NM-1:0], WORD_W),

  input  logic [7:0]                  start_tdata,
  input  logic                        start_tvalid,

  output logic [C-1:0][15:0]          evt_tdata,
  output logic [C-1:0]                evt_tvalid,

  output logic [8*NLOCK-1:0]          lock_tdata,
  output logic                        lock_tvalid,

  output logic                        irq
);

  if (NS == 0 || NS > 6) begin : gen_bad_ns
    $fatal(1, "objfifo_dma: NS must be 1 to 6");
  end
  if (NM == 0 || NM > 6) begin : gen_bad_nm
    $fatal(1, "objfifo_dma: NM must be 1 to 6");
  end
  if (NBD == 0 || NBD > 64) begin : gen_bad_nbd
    $fatal(1, "objfifo_dma: NBD must be 1 to 64");
  end
  if (NLOCK == 0 || NLOCK > 64) begin : gen_bad_nlock
    $fatal(1, "objfifo_dma: NLOCK must be 1 to 64");
  end
  if (NBANK == 0 || NBANK > 64 || (NBANK & (NBANK - 1)) != 0) begin : gen_bad_nbank
    $fatal(1, "objfifo_dma: NBANK must be a power of two, 1 to 64");
  end
  if (MEM_WORDS < NBANK || MEM_WORDS > 2**20) begin : gen_bad_mem_words
    $fatal(1, "objfifo_dma: MEM_WORDS must be NBANK to 2**20, what a base can address");
  end
  if (WORD_W != 32 && WORD_W != 128) begin : gen_bad_word_w
    $fatal(1, "objfifo_dma: WORD_W must be 32 or 128");
  end

  localparam int unsigned Lanes = WORD_W / 32;

  logic running;
  logic clear;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Descriptor table: a read port for each channel, and one for the registers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  localparam int unsigned TablePorts = C + 1;

  logic                              table_we;
  logic [5:0]                        table_wbd;
  logic [3:0]                        table_wword;
  logic [31:0]                       table_wdata;
  logic [TablePorts-1:0][5:0]        table_rbd;
  logic [TablePorts-1:0]             table_rknown;
  logic [TablePorts-1:0][10:0][31:0] table_rwords;
  logic [TablePorts-1:0][5:0]        table_rafter;
  counter_t                          counter;

  objfifo_bd_table #(
    .NBD  (NBD),
    .PORTS(TablePorts)
  ) u_bd_table (
    .clk   (aclk),
    .rst_n (aresetn),
    .we    (table_we),
    .wbd   (table_wbd),
    .wword (table_wword),
    .wdata (table_wdata),
    .counter,
    .rbd   (table_rbd),
    .rknown(table_rknown),
    .rwords(table_rwords),
    .rafter(table_rafter)
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Locks
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [C-1:0]          acquire_valid;
  lock_t [C-1:0]         acquire_lock;
  logic [C-1:0]          acquire_granted;
  logic [C-1:0]          release_valid;
  lock_t [C-1:0]         release_lock;
  logic                  lock_we;
  lock_t                 lock_wlock;
  logic [NLOCK-1:0][5:0] lock_values;
  logic                  lock_overflow;
  logic [5:0]            lock_overflow_id;

  objfifo_locks #(
    .NLOCK(NLOCK),
    .C    (C)
  ) u_locks (
    .clk          (aclk),
    .rst_n        (aresetn),
    .running,
    .acquire_valid,
    .acquire_lock,
    .acquire_granted,
    .release_valid,
    .release_lock,
    .we           (lock_we),
    .wlock        (lock_wlock),
    .values       (lock_values),
    .overflow     (lock_overflow),
    .overflow_lock(lock_overflow_id),
    .lock_tvalid,
    .lock_tdata
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Memory
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [C-1:0]              bank_request;
  logic [C-1:0][19:0]        bank_address;
  logic [C-1:0]              bank_granted;
  logic [NS-1:0][WORD_W-1:0] bank_wdata;
  logic [NM-1:0][WORD_W-1:0] bank_rdata;
  logic                      window_access;
  logic [Lanes-1:0]          window_write;
  logic [19:0]               window_address;
  logic [31:0]               window_wdata;
  logic [WORD_W-1:0]         window_rdata;

  objfifo_banks #(
    .NS       (NS),
    .NM       (NM),
    .NBANK    (NBANK),
    .MEM_WORDS(MEM_WORDS),
    .WORD_W   (WORD_W)
  ) u_banks (
    .clk    (aclk),
    .rst_n  (aresetn),
    .request(bank_request),
    .address(bank_address),
    .grant  (bank_granted),
    .wdata  (bank_wdata),
    .rdata  (bank_rdata),
    .window_access,
    .window_write,
    .window_address,
    .window_wdata,
    .window_rdata
  );

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Channels
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [C-1:0]      push;
  task_t             push_task;
  logic [C-1:0]      queue_full;
  logic [C-1:0][2:0] queue_count;
  logic [C-1:0]      busy;
  logic [C-1:0]      stopped;
  logic [C-1:0]      token;
  logic [C-1:0]      bad_bd;
  logic [C-1:0][5:0] bad_bd_id;
  logic [C-1:0]      bad_address;
  logic [C-1:0][5:0] bad_address_id;

  // Between a channel and its stream side. Headers, padding and TLAST are matters of the output
  // streams.
  logic [C-1:0]      active;
  logic [C-1:0]      want;
  logic [C-1:0]      word;
  logic [C-1:0]      load;
  header_t [C-1:0]   load_header;
  logic [C-1:0]      word_padding;
  logic [C-1:0]      word_tlast;

  for (genvar c = 0; c < C; c++) begin : gen_channel
    objfifo_channel #(
      .NBD      (NBD),
      .MEM_WORDS(MEM_WORDS),
      .PADDING  (c >= NS)
    ) u_channel (
      .clk            (aclk),
      .rst_n          (aresetn),
      .running,
      .clear,
      .push           (push[c]),
      .push_task,
      .queue_full     (queue_full[c]),
      .queue_count    (queue_count[c]),
      .busy           (busy[c]),
      .stopped        (stopped[c]),
      .table_bd       (table_rbd[c]),
      .table_known    (table_rknown[c]),
      .table_words    (table_rwords[c]),
      .table_after    (table_rafter[c]),
      .counter,
      .acquire_valid  (acquire_valid[c]),
      .acquire_lock   (acquire_lock[c]),
      .acquire_granted(acquire_granted[c]),
      .release_valid  (release_valid[c]),
      .release_lock   (release_lock[c]),
      .bank_request   (bank_request[c]),
      .bank_address   (bank_address[c]),
      .bank_granted   (bank_granted[c]),
      .active         (active[c]),
      .load           (load[c]),
      .load_header    (load_header[c]),
      .want           (want[c]),
      .word           (word[c]),
      .word_padding   (word_padding[c]),
      .word_tlast     (word_tlast[c]),
      .evt_tvalid     (evt_tvalid[c]),
      .evt_tdata      (evt_tdata[c]),
      .token          (token[c]),
      .bad_bd         (bad_bd[c]),
      .bad_bd_id      (bad_bd_id[c]),
      .bad_address    (bad_address[c]),
      .bad_address_id (bad_address_id[c])
    );

    if (c < NS) begin : gen_s2mm
      objfifo_s2mm #(
        .WORD_W(WORD_W)
      ) u_s2mm (
        .clk          (aclk),
        .rst_n        (aresetn),
        .active       (active[c]),
        .want         (want[c]),
        .word         (word[c]),
        .bank_wdata   (bank_wdata[c]),
        .s_axis_tdata (s_axis_tdata[c]),
        .s_axis_tvalid(s_axis_tvalid[c]),
        .s_axis_tready(s_axis_tready[c])
      );

      logic unused_output;
      assign unused_output = ^{load[c], load_header[c], word_padding[c], word_tlast[c]};
    end else begin : gen_mm2s
      objfifo_mm2s #(
        .WORD_W(WORD_W)
      ) u_mm2s (
        .clk         (aclk),
        .rst_n       (aresetn),
        .active      (active[c]),
        .load        (load[c]),
        .load_header (load_header[c]),
        .want        (want[c]),
        .word        (word[c]),
        .word_padding(word_padding[c]),
        .word_tlast  (word_tlast[c]),
        .bank_rdata  (bank_rdata[c-NS]),
        `AXIS_PINS(m_axis, m_axis, [c-NS])
      );
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Registers
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [C-1:0]       queue_overflow;
  logic [31:0]        irq_clear;
  logic               error_clear;
  logic [C-1:0]       tokens_clear;
  logic [31:0]        irq_status;
  logic [31:0]        error;
  logic [C-1:0][31:0] tokens;

  axil_pkg::request_t  request;
  axil_pkg::response_t response;

  `AXIL_SLAVE_JOIN(s_axil, request, response)

  objfifo_regs #(
    .NS       (NS),
    .NM       (NM),
    .NBD      (NBD),
    .NLOCK    (NLOCK),
    .MEM_WORDS(MEM_WORDS),
    .WORD_W   (WORD_W)
  ) u_regs (
    .clk         (aclk),
    .rst_n       (aresetn),
    .request,
    .response,
    .start       (start_tvalid),
    .running,
    .clear,
    .push,
    .push_task,
    .queue_full,
    .queue_count,
    .busy,
    .stopped,
    .queue_overflow,
    .irq_clear,
    .error_clear,
    .tokens_clear,
    .irq_status,
    .error,
    .tokens,
    .irq,
    .table_we,
    .table_wbd,
    .table_wword,
    .table_wdata,
    .table_rbd   (table_rbd[C]),
    .table_rknown(table_rknown[C]),
    .table_rwords(table_rwords[C]),
    .lock_we,
    .lock_wlock,
    .lock_values,
    .window_access,
    .window_write,
    .window_address,
    .window_wdata,
    .window_rdata
  );

  objfifo_status #(
    .C(C)
  ) u_status (
    .clk  (aclk),
    .rst_n(aresetn),
    .token,
    .bad_bd,
    .bad_bd_id,
    .bad_address,
    .bad_address_id,
    .queue_overflow,
    .lock_overflow,
    .lock_overflow_id,
    .irq_clear,
    .error_clear,
    .tokens_clear,
    .irq_status,
    .error,
    .tokens
  );

  // TKEEP and TLAST are ignored by contract, the start trigger's data has no meaning, and the read
  // port of the registers fetches nothing.
  logic unused_inputs;
  assign unused_inputs = ^{s_axis_tkeep, s_axis_tlast, start_tdata, table_rafter[C]};

endmodule
