// SPDX-License-Identifier: Apache-2.0
//
// tpu_regs - the register map of docs/tpu-engine.md behind AXI4-Lite (handshakes, latency and
// throughput of axil_regs). A write takes effect at the edge of `write`,
// a read is answered one cycle after its address.

module tpu_regs
  import tpu_regs_pkg::*;
#(
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
  output tpu_pkg::times_t         times,
  output logic [N-1:0]            table_we,

  output logic [CORES-1:0]        push,
  output tpu_pkg::group_t [N-1:0] push_group,
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

  localparam logic [31:0] ConfigValue =
      (CORES << ConfigCoresLsb) | (ENGINES << ConfigEnginesLsb) | (CHIP << ConfigChipLsb) |
      (DEPTH << ConfigDepthLsb) | (MsgW << ConfigLogNmsgLsb);

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

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Where an address lies
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [15:0] write_word;     // byte address
  logic [15:0] write_offset;   // in the registers of an engine
  logic        write_core;     // PUSH of a core that is there
  logic        write_engine;   // a register of an engine that is there
  logic [4:0]  write_n;

  assign write_word   = {write_addr[15:2], 2'b00};
  assign write_offset = {10'd0, write_word[5:0]};
  assign write_core   = write_word >= AddrPush && write_word < AddrPush + 16'(StridePush * CORES);
  assign write_n      = write_word[10:6];
  assign write_engine = write_word >= AddrEngine && write_word < AddrEngine + 16'(StrideEngine * N);

  // Whether the streams of each core make a group.
  logic [CORES-1:0] sound;

  always_comb begin
    logic some;
    for (int unsigned c = 0; c < CORES; c++) begin
      some     = 1'b0;
      sound[c] = 1'b1;
      for (int unsigned e = 0; e < ENGINES; e++) begin
        some = some || push_group[ENGINES*c+e].count != '0;
        if (push_group[ENGINES*c+e].count != '0 && push_group[ENGINES*c+e].size == '0) begin
          sound[c] = 1'b0;
        end
      end
      sound[c] = sound[c] && some;
    end
  end

  always_comb begin
    write_error = 1'b0;
    unique case (write_word)
      AddrCtrl:      write_error = write_data[CtrlClearLsb] && !may_clear;
      AddrIrqStatus,
      AddrIrqMask,
      AddrTimeout,
      AddrDurMode,
      AddrDuration,
      AddrDurEngines,
      AddrDurIndex,
      AddrDurData:   write_error = 1'b0;
      default: begin
        if (write_core) begin
          write_error = full[CoreW'(write_word[4:2])] || !sound[CoreW'(write_word[4:2])];
        end else begin
          write_error = !(write_engine && write_offset inside
              {OffsetEngineBlock, OffsetEngineSize, OffsetEngineCount});
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
  assign start_write = good && write_word == AddrCtrl && write_data[CtrlStartLsb];
  assign clear       = good && write_word == AddrCtrl && write_data[CtrlClearLsb];
  assign table_we    = good && write_word == AddrDurData ? dur_engines_q : '0;
  assign times       = {dur_mode_q, duration_q, dur_index_q, write_data[DurDataWidth-1:0]};

  for (genvar c = 0; c < CORES; c++) begin : gen_push
    assign push[c] = good && write_core && write_word[4:2] == 3'(c);
  end

  logic [CORES-1:0] irq_core_clear;
  logic             irq_error_clear;

  assign irq_core_clear  =
      good && write_word == AddrIrqStatus ? write_data[IrqStatusCoreLsb+:CORES] : '0;
  assign irq_error_clear = good && write_word == AddrIrqStatus && write_data[IrqStatusErrorLsb];

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      enabled_q     <= 1'b0;
      irq_core_q    <= '0;
      irq_error_q   <= 1'b0;
      mask_core_q   <= '0;
      mask_error_q  <= 1'b0;
      timeout_q     <= ResetTimeout[TimeoutWidth-1:0];
      dur_mode_q    <= '0;
      duration_q    <= ResetDuration[DurationWidth-1:0];
      dur_engines_q <= '0;
      dur_index_q   <= '0;
      push_group    <= '0;
    end else begin
      enabled_q   <= !clear && (enabled_q || start || start_write);
      irq_core_q  <= finished | (irq_core_q & ~irq_core_clear);
      irq_error_q <= raised || (irq_error_q && !irq_error_clear);
      if (good) begin
        unique case (write_word)
          AddrIrqMask: begin
            mask_core_q  <= write_data[IrqMaskCoreLsb+:CORES];
            mask_error_q <= write_data[IrqMaskErrorLsb];
          end
          AddrTimeout:    timeout_q     <= write_data[TimeoutWidth-1:0];
          AddrDurMode:    dur_mode_q    <= write_data[DurModeWidth-1:0];
          AddrDuration:   duration_q    <= write_data[DurationWidth-1:0];
          AddrDurEngines: dur_engines_q <= write_data[N-1:0];
          AddrDurIndex:   dur_index_q   <= write_data[DurIndexWidth-1:0];
          AddrDurData:    dur_index_q   <= dur_index_q + 10'd1;
          default:        ;
        endcase
      end
      for (int unsigned n = 0; n < N; n++) begin
        if (good && write_engine && write_n == 5'(n)) begin
          unique case (write_offset)
            OffsetEngineBlock: push_group[n].block <= write_data;
            OffsetEngineSize:  push_group[n].size  <= write_data[EngineSizeWidth-1:0];
            default:           push_group[n].count <= write_data[EngineCountWidth-1:0];
          endcase
        end
      end
    end
  end

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Reads
  //////////////////////////////////////////////////////////////////////////////////////////////////

  logic [15:0]     read_word;      // byte address
  logic [15:0]     read_offset;    // in the registers of an engine
  logic [15:0]     message_at;
  logic            read_core;
  logic            read_message;
  logic            read_engine;
  logic [4:0]      read_n;
  logic [CoreW-1:0] c;
  logic [MsgW-1:0] m;

  assign read_word    = {read_addr[15:2], 2'b00};
  assign read_offset  = {10'd0, read_word[5:0]};
  assign c            = read_word[2+:CoreW];
  assign message_at   = read_word - AddrMessage;
  assign m            = message_at[2+:MsgW];
  assign read_core    = read_word >= AddrPush && read_word < AddrPush + 16'(StridePush * CORES);
  assign read_message = read_word >= AddrMessage && 32'(message_at) < StrideMessage * NMSG;
  assign read_n       = read_word[10:6];
  assign read_engine  = read_word >= AddrEngine && read_word < AddrEngine + 16'(StrideEngine * N);

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
        block_r   = push_group[n].block;
        size_r    = push_group[n].size;
        count_r   = push_group[n].count;
        current_r = current[n];
        status_r[EngineStatusDoneLsb]      = done[n] && run[n/ENGINES];
        status_r[EngineStatusWaitsLsb]     = waits[n];
        status_r[EngineStatusExecutingLsb] = !free[n];
        status_r[EngineStatusFaultLsb]     = fault[n] != '0;
        status_r[EngineStatusLevelLsb+:EngineStatusLevelWidth] = 16'(level[n]);
      end
    end
  end

  logic [31:0] read_data_d;
  logic        read_error_d;

  always_comb begin
    read_data_d  = '0;
    read_error_d = 1'b0;
    unique case (read_word)
      AddrId:         read_data_d = ResetId;
      AddrConfig:     read_data_d = ConfigValue;
      AddrCtrl: begin
        read_data_d[CtrlEnabledLsb] = enabled_q;
        read_data_d[CtrlHaltedLsb]  = halted;
      end
      AddrIrqStatus: begin
        read_data_d[IrqStatusCoreLsb+:CORES] = irq_core_q;
        read_data_d[IrqStatusErrorLsb]       = irq_error_q;
      end
      AddrIrqMask: begin
        read_data_d[IrqMaskCoreLsb+:CORES] = mask_core_q;
        read_data_d[IrqMaskErrorLsb]       = mask_error_q;
      end
      AddrError: begin
        read_data_d[ErrorCodeLsb+:ErrorCodeWidth]     = error_code;
        read_data_d[ErrorCoreLsb+:ErrorCoreWidth]     = error_core;
        read_data_d[ErrorEngineLsb+:ErrorEngineWidth] = error_engine;
      end
      AddrErrorId:    read_data_d = 32'(error_id);
      AddrTimeout:    read_data_d = 32'(timeout_q);
      AddrDurMode:    read_data_d = 32'(dur_mode_q);
      AddrDuration:   read_data_d = 32'(duration_q);
      AddrDurEngines: read_data_d = 32'(dur_engines_q);
      AddrDurIndex:   read_data_d = 32'(dur_index_q);
      default: begin
        if (read_core) begin
          read_data_d[PushWaitingLsb+:PushWaitingWidth] = waiting[c];
          read_data_d[PushRunLsb]                       = run[c];
        end else if (read_message) begin
          read_data_d[MessageSentLsb+:MessageSentWidth] = sent[m];
          read_data_d[MessageLeftLsb+:MessageLeftWidth] = left[m];
        end else if (read_engine) begin
          unique case (read_offset)
            OffsetEngineBlock:   read_data_d = block_r;
            OffsetEngineSize:    read_data_d = 32'(size_r);
            OffsetEngineCount:   read_data_d = 32'(count_r);
            OffsetEngineCurrent: read_data_d = 32'(current_r);
            OffsetEngineStatus:  read_data_d = status_r;
            default:             read_error_d = 1'b1;
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

  assign enabled = enabled_q;
  assign timeout = timeout_q;
  assign irq     = (irq_core_q & mask_core_q) != '0 || (irq_error_q && mask_error_q);

  logic unused_address;
  assign unused_address = ^{write_addr[1:0], read_addr[1:0]};

endmodule
