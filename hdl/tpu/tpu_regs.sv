// SPDX-License-Identifier: Apache-2.0
//
// tpu_regs - the register map of docs/tpu-engine.md behind AXI4-Lite (handshakes, latency and
// throughput of axil_regs). A write takes effect at the edge of `write`,
// a read is answered one cycle after its address.

module tpu_regs #(
  parameter  int unsigned CHIP    = 0,
  parameter  int unsigned CORES   = 1,
  parameter  int unsigned ENGINES = 2,
  parameter  int unsigned DEPTH   = 8,
  parameter  int unsigned NMSG    = 512,
  localparam int unsigned N       = CORES * ENGINES,
  localparam int unsigned BeatW   = $clog2(8 * DEPTH + 1)
) (
  input  logic                    clk,
  input  logic                    rst_n,

  input  axil_pkg::request_t      request,
  output axil_pkg::response_t     response,

  input  logic                    start,         // the trigger
  input  logic                    may_clear,
  output logic                    clear,         // at this edge
  output logic                    enabled,

  output logic [23:0]             timeout,
  output logic [1:0]              dur_mode,
  output logic [23:0]             duration,
  output logic [N-1:0]            table_we,
  output logic [9:0]              table_index,
  output logic [23:0]             table_data,

  output logic [CORES-1:0]        push,
  output logic [N-1:0][31:0]      block,
  output logic [N-1:0][23:0]      size,
  output logic [N-1:0][23:0]      count,
  input  logic [CORES-1:0]        full,
  input  logic [CORES-1:0][2:0]   waiting,
  input  logic [CORES-1:0]        run,
  input  logic [CORES-1:0]        finished,

  input  logic                    halted,
  input  logic                    raised,
  input  logic [3:0]              error_code,
  input  logic [2:0]              error_core,
  input  logic [1:0]              error_engine,
  input  logic [23:0]             error_id,

  input  logic [NMSG-1:0][15:0]   sent,
  input  logic [NMSG-1:0][6:0]    left,

  input  logic [N-1:0][23:0]      current,
  input  logic [N-1:0]            done,
  input  logic [N-1:0]            waits,
  input  logic [N-1:0]            free,
  input  logic [N-1:0][3:0]       fault,
  input  logic [N-1:0][BeatW-1:0] level,

  output logic                    irq
);

  logic        write;
  logic [15:0] write_addr;
  logic [31:0] write_data;
  logic [3:0]  write_strb;
  logic        write_error;
  logic        unused_read;   // a read changes nothing
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
    .read       (unused_read),
    .read_addr,
    .read_data,
    .read_error
  );

  localparam int unsigned CoreW = CORES > 1 ? $clog2(CORES) : 1;
  localparam int unsigned MsgW  = $clog2(NMSG);

  // Word addresses.
  localparam logic [13:0] AdrId        = 14'h000;
  localparam logic [13:0] AdrConfig    = 14'h001;
  localparam logic [13:0] AdrCtrl      = 14'h002;
  localparam logic [13:0] AdrIrqStatus = 14'h003;
  localparam logic [13:0] AdrIrqMask   = 14'h004;
  localparam logic [13:0] AdrError     = 14'h005;
  localparam logic [13:0] AdrErrorId   = 14'h006;
  localparam logic [13:0] AdrTimeout   = 14'h007;
  localparam logic [13:0] AdrDurMode   = 14'h008;
  localparam logic [13:0] AdrDuration  = 14'h009;
  localparam logic [13:0] AdrDurEngs   = 14'h00A;
  localparam logic [13:0] AdrDurIndex  = 14'h00B;
  localparam logic [13:0] AdrDurData   = 14'h00C;
  localparam logic [13:0] AdrMessage   = 14'h080;

  localparam logic [3:0] OffBlock   = 4'd0;
  localparam logic [3:0] OffSize    = 4'd1;
  localparam logic [3:0] OffCount   = 4'd2;
  localparam logic [3:0] OffCurrent = 4'd3;
  localparam logic [3:0] OffStatus  = 4'd4;

  localparam logic [31:0] IdValue      = 32'h5450_5543;
  localparam logic [31:0] ConfigValue  =
      {4'd0, 4'(MsgW), 1'b0, 7'(DEPTH), 6'd0, 2'(CHIP), 2'd0, 2'(ENGINES), 4'(CORES)};
  localparam logic [23:0] TimeoutReset = 24'd4096;

  logic                   enabled_q;
  logic [CORES-1:0]       irq_core_q;
  logic                   irq_error_q;
  logic [CORES-1:0]       mask_core_q;
  logic                   mask_error_q;
  logic [23:0]            timeout_q;
  logic [1:0]             dur_mode_q;
  logic [23:0]            duration_q;
  logic [N-1:0]           dur_engines_q;
  logic [9:0]             dur_index_q;
  logic [N-1:0][31:0]     block_q;
  logic [N-1:0][23:0]     size_q;
  logic [N-1:0][23:0]     count_q;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Where an address lies
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [13:0] write_word;
  logic        write_core;     // PUSH of a core that is there
  logic        write_engine;   // a register of an engine that is there
  logic [4:0]  write_n;

  assign write_word   = write_addr[15:2];
  assign write_core   = write_word[13:3] == 11'(16'h0100 >> 5) && 32'(write_word[2:0]) < CORES;
  assign write_n      = write_word[8:4];
  assign write_engine = write_word[13:9] == 5'(16'h1000 >> 11) && 32'(write_n) < N;

  // Whether the streams of each core make a group.
  logic [CORES-1:0] sound;

  always_comb begin
    logic some;
    for (int unsigned c = 0; c < CORES; c++) begin
      some     = 1'b0;
      sound[c] = 1'b1;
      for (int unsigned e = 0; e < ENGINES; e++) begin
        some = some || count_q[ENGINES*c+e] != '0;
        if (count_q[ENGINES*c+e] != '0 && size_q[ENGINES*c+e] == '0) begin
          sound[c] = 1'b0;
        end
      end
      sound[c] = sound[c] && some;
    end
  end

  always_comb begin
    write_error = 1'b0;
    unique case (write_word)
      AdrCtrl:      write_error = write_data[1] && !may_clear;
      AdrIrqStatus,
      AdrIrqMask,
      AdrTimeout,
      AdrDurMode,
      AdrDuration,
      AdrDurEngs,
      AdrDurIndex,
      AdrDurData:   write_error = 1'b0;
      default: begin
        if (write_core) begin
          write_error = full[CoreW'(write_word[2:0])] || !sound[CoreW'(write_word[2:0])];
        end else begin
          write_error = !(write_engine && write_word[3:0] inside {OffBlock, OffSize, OffCount});
        end
      end
    endcase
    if (write_strb != 4'hF) begin
      write_error = 1'b1;
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Writes
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic good;
  logic start_write;

  assign good        = write && !write_error;
  assign start_write = good && write_word == AdrCtrl && write_data[0];
  assign clear       = good && write_word == AdrCtrl && write_data[1];
  assign table_we    = good && write_word == AdrDurData ? dur_engines_q : '0;
  assign table_index = dur_index_q;
  assign table_data  = write_data[23:0];

  for (genvar c = 0; c < CORES; c++) begin : gen_push
    assign push[c] = good && write_core && write_word[2:0] == 3'(c);
  end

  logic [CORES-1:0] irq_core_clear;
  logic             irq_error_clear;

  assign irq_core_clear  = good && write_word == AdrIrqStatus ? write_data[CORES-1:0] : '0;
  assign irq_error_clear = good && write_word == AdrIrqStatus && write_data[31];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      enabled_q     <= 1'b0;
      irq_core_q    <= '0;
      irq_error_q   <= 1'b0;
      mask_core_q   <= '0;
      mask_error_q  <= 1'b0;
      timeout_q     <= TimeoutReset;
      dur_mode_q    <= '0;
      duration_q    <= 24'd1;
      dur_engines_q <= '0;
      dur_index_q   <= '0;
      block_q       <= '0;
      size_q        <= '0;
      count_q       <= '0;
    end else begin
      enabled_q   <= !clear && (enabled_q || start || start_write);
      irq_core_q  <= finished | (irq_core_q & ~irq_core_clear);
      irq_error_q <= raised || (irq_error_q && !irq_error_clear);
      if (good) begin
        unique case (write_word)
          AdrIrqMask:  {mask_error_q, mask_core_q} <= {write_data[31], write_data[CORES-1:0]};
          AdrTimeout:  timeout_q     <= write_data[23:0];
          AdrDurMode:  dur_mode_q    <= write_data[1:0];
          AdrDuration: duration_q    <= write_data[23:0];
          AdrDurEngs:  dur_engines_q <= write_data[N-1:0];
          AdrDurIndex: dur_index_q   <= write_data[9:0];
          AdrDurData:  dur_index_q   <= dur_index_q + 10'd1;
          default:     ;
        endcase
      end
      for (int unsigned n = 0; n < N; n++) begin
        if (good && write_engine && write_n == 5'(n)) begin
          unique case (write_word[3:0])
            OffBlock: block_q[n] <= write_data;
            OffSize:  size_q[n]  <= write_data[23:0];
            default:  count_q[n] <= write_data[23:0];
          endcase
        end
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Reads
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [13:0]     read_word;
  logic [13:0]     message_word;
  logic            read_core;
  logic            read_message;
  logic            read_engine;
  logic [4:0]      read_n;
  logic [2:0]      c;
  logic [MsgW-1:0] m;

  assign read_word    = read_addr[15:2];
  assign c            = read_word[2:0];
  assign message_word = read_word - AdrMessage;
  assign m            = message_word[MsgW-1:0];
  assign read_core    = read_word[13:3] == 11'(16'h0100 >> 5) && 32'(c) < CORES;
  assign read_message = read_word >= AdrMessage && 32'(message_word) < NMSG;
  assign read_n       = read_word[8:4];
  assign read_engine  = read_word[13:9] == 5'(16'h1000 >> 11) && 32'(read_n) < N;

  // The registers of the addressed engine.
  logic [31:0] block_r;
  logic [23:0] size_r;
  logic [23:0] count_r;
  logic [23:0] current_r;
  logic [31:0] status_r;

  always_comb begin
    block_r   = '0;
    size_r    = '0;
    count_r   = '0;
    current_r = '0;
    status_r  = '0;
    for (int unsigned n = 0; n < N; n++) begin
      if (read_n == 5'(n)) begin
        block_r   = block_q[n];
        size_r    = size_q[n];
        count_r   = count_q[n];
        current_r = current[n];
        status_r  = {16'(level[n]), 12'd0, fault[n] != '0, !free[n], waits[n],
                     done[n] && run[n/ENGINES]};
      end
    end
  end

  logic [31:0] read_data_d;
  logic        read_error_d;

  always_comb begin
    read_data_d  = '0;
    read_error_d = 1'b0;
    unique case (read_word)
      AdrId:        read_data_d = IdValue;
      AdrConfig:    read_data_d = ConfigValue;
      AdrCtrl:      read_data_d = {30'd0, halted, enabled_q};
      AdrIrqStatus: read_data_d = {irq_error_q, 31'(irq_core_q)};
      AdrIrqMask:   read_data_d = {mask_error_q, 31'(mask_core_q)};
      AdrError:     read_data_d = {22'd0, error_engine, 1'b0, error_core, error_code};
      AdrErrorId:   read_data_d = {8'd0, error_id};
      AdrTimeout:   read_data_d = {8'd0, timeout_q};
      AdrDurMode:   read_data_d = {30'd0, dur_mode_q};
      AdrDuration:  read_data_d = {8'd0, duration_q};
      AdrDurEngs:   read_data_d = 32'(dur_engines_q);
      AdrDurIndex:  read_data_d = {22'd0, dur_index_q};
      default: begin
        if (read_core) begin
          read_data_d = {23'd0, run[CoreW'(c)], 5'd0, waiting[CoreW'(c)]};
        end else if (read_message) begin
          read_data_d = {9'd0, left[m], sent[m]};
        end else if (read_engine) begin
          unique case (read_word[3:0])
            OffBlock:   read_data_d = block_r;
            OffSize:    read_data_d = {8'd0, size_r};
            OffCount:   read_data_d = {8'd0, count_r};
            OffCurrent: read_data_d = {8'd0, current_r};
            OffStatus:  read_data_d = status_r;
            default:    read_error_d = 1'b1;
          endcase
        end else begin
          read_error_d = 1'b1;
        end
      end
    endcase
  end

  always_ff @(posedge clk) begin
    read_data  <= read_data_d;
    read_error <= read_error_d;
  end

  assign enabled  = enabled_q;
  assign timeout  = timeout_q;
  assign dur_mode = dur_mode_q;
  assign duration = duration_q;
  assign block    = block_q;
  assign size     = size_q;
  assign count    = count_q;
  assign irq      = (irq_core_q & mask_core_q) != '0 || (irq_error_q && mask_error_q);

  logic unused_address;
  assign unused_address = ^{write_addr[1:0], read_addr[1:0]};

endmodule
