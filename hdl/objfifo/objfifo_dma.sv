// SPDX-License-Identifier: Apache-2.0
//
// objfifo_dma - the DMA engine of object FIFOs: NS stream-to-memory and NM memory-to-stream
// channels on one banked memory, driven by buffer descriptors and kept in order by counting locks.
//
// Contract, cycle by cycle, and register map in docs/objfifo-engine.md; with PROFILE = 1 (npu1)
// what docs/npu1.md changes, where FINISH says when MM2S descriptors end. Channels are numbered
// S2MM first. start, evt and lock are one-way streams without ready: the start trigger, finished
// descriptors, lock values after a change.
//
// Latency (PROFILE = 0): start trigger to the first word 6 edges with an acquire, 5 without;
// input transfer to memory 1 cycle; memory to output transfer 3 cycles. Throughput one word a
// cycle and channel, no bubble between descriptors, as far as banks and locks allow.
// s_axis_tready, m_axis_tvalid, the one-way outputs and all AXI-Lite ready and valid are
// flip-flops (PROFILE = 1: tready and tvalid are gates behind them); the stream inputs' TKEEP and
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
  parameter  int unsigned PROFILE   = 0,
  parameter  int unsigned FINISH    = 0,
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

  if (PROFILE > 1 || FINISH > 1) begin : gen_bad_profile
    $fatal(1, "objfifo_dma: PROFILE and FINISH must be 0 or 1");
  end

  localparam int unsigned Lanes = WORD_W / 32;

  // An access moves a word, under npu1 a line.
  localparam int unsigned LineW     = PROFILE == 1 ? objfifo_npu1_pkg::LineBits : WORD_W;
  localparam int unsigned LineWords = LineW / WORD_W;
  localparam int unsigned LineLanes = LineW / 32;
  localparam int unsigned LineShift = $clog2(LineWords);
  localparam int unsigned PlaceW    = LineWords > 1 ? LineShift : 1;

  if (MEM_WORDS % LineWords != 0) begin : gen_bad_lines
    $fatal(1, "objfifo_dma: MEM_WORDS must be a multiple of the words of a line");
  end

  logic         running;
  logic         clear;
  logic         core;
  logic [C-1:0] cores;

  logic [NM-1:0][31:0] pad_values;
  logic [NS-1:0]       out_of_order;

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
  logic [C-1:0]          acquire_equal;
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
    .acquire_equal,
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

  logic [C-1:0]                 bank_request;
  logic [C-1:0][19:0]           bank_address;   // of the word
  logic [C-1:0][19:0]           line_address;
  logic [C-1:0][PlaceW-1:0]     place;          // of the word in its line
  logic [C-1:0]                 bank_granted;
  logic [NS-1:0][LineW-1:0]     bank_wdata;
  logic [NS-1:0][LineLanes-1:0] bank_wlanes;
  logic [NM-1:0][LineW-1:0]     bank_rdata;
  logic                         window_access;
  logic [Lanes-1:0]             window_write;
  logic [19:0]                  window_address;
  logic [31:0]                  window_wdata;
  logic [WORD_W-1:0]            window_rdata;
  logic [LineLanes-1:0]         window_lanes;
  logic [LineW-1:0]             window_line;

  for (genvar c = 0; c < C; c++) begin : gen_line
    assign line_address[c] = bank_address[c] >> LineShift;
    assign place[c]        = LineWords > 1 ? bank_address[c][PlaceW-1:0] : '0;
  end

  objfifo_banks #(
    .NS       (NS),
    .NM       (NM),
    .NBANK    (NBANK),
    .MEM_WORDS(MEM_WORDS / LineWords),
    .WORD_W   (LineW)
  ) u_banks (
    .clk           (aclk),
    .rst_n         (aresetn),
    .request       (bank_request),
    .address       (line_address),
    .grant         (bank_granted),
    .wdata         (bank_wdata),
    .wlanes        (bank_wlanes),
    .rdata         (bank_rdata),
    .window_access,
    .window_write  (window_lanes),
    .window_address(window_address >> LineShift),
    .window_wdata,
    .window_rdata  (window_line)
  );

  if (LineWords == 1) begin : gen_window_word
    assign window_lanes = window_write;
    assign window_rdata = window_line;
  end else begin : gen_window_line
    logic [PlaceW-1:0]                 place_q;
    logic [LineWords-1:0][WORD_W-1:0]  words;

    always_ff @(posedge aclk) begin
      place_q <= window_address[PlaceW-1:0];
    end

    always_comb begin
      window_lanes = '0;
      window_lanes[32'(window_address[PlaceW-1:0])*Lanes+:Lanes] = window_write;
    end

    assign words        = window_line;
    assign window_rdata = words[place_q];
  end

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
  logic [C-1:0]      word_ends;
  logic [C-1:0]      hand;
  logic [C-1:0][17:0] hand_words;
  logic [C-1:0][2:0] run;
  logic [C-1:0]      sent;
  logic [C-1:0]      by_header;
  logic [C-1:0]      head;
  logic [C-1:0]      named;
  logic [C-1:0][5:0] name;

  assign by_header = C'(out_of_order);

  for (genvar c = 0; c < C; c++) begin : gen_channel
    objfifo_channel #(
      .NBD       (NBD),
      .MEM_WORDS (MEM_WORDS),
      .PADDING   (c >= NS),
      .PROFILE   (PROFILE == 1),
      .FINISH    (FINISH == 1),
      .LINE_WORDS(LineWords)
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
      .acquire_equal  (acquire_equal[c]),
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
      .word_ends      (word_ends[c]),
      .by_header      (by_header[c]),
      .head           (head[c]),
      .named          (named[c]),
      .name           (name[c]),
      .core_tile      (core),
      .of_core        (cores[c]),
      .hand           (hand[c]),
      .hand_words     (hand_words[c]),
      .run            (run[c]),
      .sent           (sent[c]),
      .evt_tvalid     (evt_tvalid[c]),
      .evt_tdata      (evt_tdata[c]),
      .token          (token[c]),
      .bad_bd         (bad_bd[c]),
      .bad_bd_id      (bad_bd_id[c]),
      .bad_address    (bad_address[c]),
      .bad_address_id (bad_address_id[c])
    );

    if (c < NS) begin : gen_s2mm
      assign sent[c] = 1'b0;

      if (PROFILE == 1) begin : gen_npu1
        logic [LineWords-1:0] there;

        objfifo_s2mm_npu1 #(
          .WORD_W    (WORD_W),
          .LINE_WORDS(LineWords)
        ) u_s2mm (
          .clk          (aclk),
          .rst_n        (aresetn),
          .clear,
          .of_core      (cores[c]),
          .hand         (hand[c]),
          .hand_words   (hand_words[c]),
          .active       (active[c]),
          .load         (load[c]),
          .want         (want[c]),
          .word         (word[c]),
          .word_closes  (run[c] == 3'd1),
          .place        (place[c]),
          .line_there   (there),
          .line         (bank_wdata[c]),
          .head         (head[c]),
          .named        (named[c]),
          .name         (name[c]),
          .s_axis_tdata (s_axis_tdata[c]),
          .s_axis_tvalid(s_axis_tvalid[c]),
          .s_axis_tready(s_axis_tready[c])
        );

        for (genvar w = 0; w < LineWords; w++) begin : gen_word
          assign bank_wlanes[c][w*Lanes+:Lanes] = {Lanes{there[w]}};
        end
      end else begin : gen_ideal
        objfifo_s2mm #(
          .WORD_W(WORD_W)
        ) u_s2mm (
          .clk          (aclk),
          .rst_n        (aresetn),
          .active       (active[c]),
          .want         (want[c]),
          .word         (word[c]),
          .bank_wdata   (bank_wdata[c]),
          .head         (head[c]),
          .named        (named[c]),
          .name         (name[c]),
          .s_axis_tdata (s_axis_tdata[c]),
          .s_axis_tvalid(s_axis_tvalid[c]),
          .s_axis_tready(s_axis_tready[c])
        );

        assign bank_wlanes[c] = '1;

        logic unused_npu1;
        assign unused_npu1 = ^{load[c], hand[c], hand_words[c], run[c], place[c]};
      end

      logic unused_output;
      assign unused_output = ^{load_header[c], word_padding[c], word_tlast[c], word_ends[c]};
    end else if (PROFILE == 1) begin : gen_mm2s_npu1
      objfifo_mm2s_npu1 #(
        .WORD_W    (WORD_W),
        .LINE_WORDS(LineWords)
      ) u_mm2s (
        .clk         (aclk),
        .rst_n       (aresetn),
        .core,
        .active      (active[c]),
        .load        (load[c]),
        .load_header (load_header[c]),
        .want        (want[c]),
        .word        (word[c]),
        .run         (run[c]),
        .place       (place[c]),
        .word_padding(word_padding[c]),
        .word_tlast  (word_tlast[c]),
        .word_ends   (word_ends[c]),
        .pad_value   (pad_values[c-NS]),
        .bank_rdata  (bank_rdata[c-NS]),
        .sent        (sent[c]),
        `AXIS_PINS(m_axis, m_axis, [c-NS])
      );

      assign named[c] = 1'b0;
      assign name[c]  = '0;

      logic unused_hand;
      assign unused_hand = ^{hand[c], hand_words[c], head[c]};
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
        .pad_value   (pad_values[c-NS]),
        .bank_rdata  (bank_rdata[c-NS]),
        `AXIS_PINS(m_axis, m_axis, [c-NS])
      );

      assign sent[c]  = 1'b0;
      assign named[c] = 1'b0;
      assign name[c]  = '0;

      logic unused_npu1;
      assign unused_npu1 = ^{head[c], word_ends[c], hand[c], hand_words[c], run[c], place[c]};
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
    .core,
    .cores,
    .pad_values,
    .out_of_order,
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
