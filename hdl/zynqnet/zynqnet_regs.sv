// SPDX-License-Identifier: Apache-2.0
//
// zynqnet_regs - the register map of docs/zynqnet-hardware.md, start and done, interrupt.
//
// `start` is high two cycles after the data handshake of the write that starts. `done` makes
// AP_DONE, AP_READY and the interrupt visible in the next cycle; with auto-restart, `start` is high
// in the one after that.

module zynqnet_regs
  import zynqnet_pkg::*;
  import zynqnet_regs_pkg::*;
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

  localparam logic [11:0] NameHigh = AddrName + 12'(StrideName);

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
      AddrApCtrl, AddrGie, AddrIer, AddrIsr, AddrName, NameHigh, AddrWidth, AddrHeight,
      AddrChIn, AddrChOut, AddrKernel, AddrStride, AddrPad, AddrRelu, AddrFirstSplit,
      AddrSecondSplit, AddrGlobalPool, AddrMemIn, AddrMemOut, AddrMemWeights, AddrDramBase,
      AddrWeightsOffset, AddrNumWeights, AddrInputOffset, AddrShifts, AddrMemWords: ;
      default: write_known = 1'b0;
    endcase
  end

  always_comb begin
    read_known = 1'b1;
    read_data  = '0;
    case (read_address)
      AddrApCtrl: begin
        read_data[ApCtrlStartLsb]       = busy;
        read_data[ApCtrlDoneLsb]        = done_q;
        read_data[ApCtrlIdleLsb]        = !busy;
        read_data[ApCtrlReadyLsb]       = ready_q;
        read_data[ApCtrlAutoRestartLsb] = restart_q;
      end
      AddrGie:           read_data = 32'(gie_q);
      AddrIer:           read_data = 32'(ier_q);
      AddrIsr:           read_data = 32'(isr_q);
      AddrName:          read_data = name_q[31:0];
      NameHigh:          read_data = name_q[63:32];
      AddrWidth:         read_data = 32'(r_q.width);
      AddrHeight:        read_data = 32'(r_q.height);
      AddrChIn:          read_data = 32'(r_q.ch_in);
      AddrChOut:         read_data = 32'(r_q.ch_out);
      AddrKernel:        read_data = 32'(r_q.kernel);
      AddrStride:        read_data = 32'(r_q.stride);
      AddrPad:           read_data = 32'(pad_q);
      AddrRelu:          read_data = 32'(r_q.relu);
      AddrFirstSplit:    read_data = 32'(r_q.split1);
      AddrSecondSplit:   read_data = 32'(r_q.split2);
      AddrGlobalPool:    read_data = 32'(r_q.gpool);
      AddrMemIn:         read_data = 32'(r_q.mem_in);
      AddrMemOut:        read_data = 32'(r_q.mem_out);
      AddrMemWeights:    read_data = 32'(r_q.mem_weights);
      AddrDramBase:      read_data = r_q.dram_base;
      AddrWeightsOffset: read_data = 32'(r_q.weights_offset);
      AddrNumWeights:    read_data = 32'(r_q.num_weights);
      AddrInputOffset:   read_data = 32'(r_q.input_offset);
      AddrShifts: begin
        read_data[ShiftsBiasLsb+:ShiftsBiasWidth]     = r_q.shift_bias;
        read_data[ShiftsOutLsb+:ShiftsOutWidth]       = r_q.shift_out;
        read_data[ShiftsConcatLsb+:ShiftsConcatWidth] = r_q.shift_concat;
      end
      AddrMemWords:      read_data = 32'(r_q.mem_words);
      AddrId:            read_data = ResetId;
      AddrConfig:        read_data =
          (NPE << ConfigNpeLsb) | (DATA_W / 32 << ConfigNLsb) | (32'(INT8) << ConfigInt8Lsb)
          | (LINES << ConfigLinesLsb);
      AddrError:         read_data = 32'(error);
      AddrCycles:        read_data = cycles;
      AddrIssues:        read_data = counts.issues;
      AddrWaitWeights:   read_data = counts.wait_weights;
      AddrWaitPixels:    read_data = counts.wait_pixels;
      AddrWaitWrite:     read_data = counts.wait_write;
      AddrBubbles:       read_data = counts.bubbles;
      AddrReadBeats:     read_data = read_beats;
      AddrWriteBeats:    read_data = write_beats;
      AddrLayers:        read_data = layers;
      AddrFirstIssue:    read_data = first_issue;
      default: read_known = 1'b0;
    endcase
  end

  always_ff @(posedge aclk) begin
    read_data_q  <= read_data;
    read_known_q <= read_known;
  end

  logic clear_done;

  assign clear_done = read && read_address == AddrApCtrl;
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
      wanted_q <= write && write_address == AddrApCtrl && mask[ApCtrlStartLsb]
          && write_data[ApCtrlStartLsb];
      again_q  <= done && restart_q && !failed;
      start    <= (wanted_q && !busy) || again_q;
      done_q  <= done || (done_q && !clear_done);
      ready_q <= done || (ready_q && !clear_done);
      isr_q   <= (isr_q ^ (write && write_address == AddrIsr ? write_data[1:0] & mask[1:0] : 2'b00))
          | (ier_q & {2{done}});
      if (write) begin
        case (write_address)
          AddrApCtrl:
            restart_q <= 1'(merged(32'(restart_q) << ApCtrlAutoRestartLsb, write_data, mask)
                >> ApCtrlAutoRestartLsb);
          AddrGie:           gie_q              <= 1'(merged(32'(gie_q), write_data, mask));
          AddrIer:           ier_q              <= 2'(merged(32'(ier_q), write_data, mask));
          AddrName:          name_q[31:0]       <= merged(name_q[31:0], write_data, mask);
          NameHigh:          name_q[63:32]      <= merged(name_q[63:32], write_data, mask);
          AddrWidth:         r_q.width          <= 9'(merged(32'(r_q.width), write_data, mask));
          AddrHeight:        r_q.height         <= 9'(merged(32'(r_q.height), write_data, mask));
          AddrChIn:          r_q.ch_in          <= 10'(merged(32'(r_q.ch_in), write_data, mask));
          AddrChOut:         r_q.ch_out         <= 10'(merged(32'(r_q.ch_out), write_data, mask));
          AddrKernel:        r_q.kernel         <= 2'(merged(32'(r_q.kernel), write_data, mask));
          AddrStride:        r_q.stride         <= 2'(merged(32'(r_q.stride), write_data, mask));
          AddrPad:           pad_q              <= 1'(merged(32'(pad_q), write_data, mask));
          AddrRelu:          r_q.relu           <= 1'(merged(32'(r_q.relu), write_data, mask));
          AddrFirstSplit:    r_q.split1         <= 1'(merged(32'(r_q.split1), write_data, mask));
          AddrSecondSplit:   r_q.split2         <= 1'(merged(32'(r_q.split2), write_data, mask));
          AddrGlobalPool:    r_q.gpool          <= 1'(merged(32'(r_q.gpool), write_data, mask));
          AddrMemIn:         r_q.mem_in         <= 23'(merged(32'(r_q.mem_in), write_data, mask));
          AddrMemOut:        r_q.mem_out        <= 23'(merged(32'(r_q.mem_out), write_data, mask));
          AddrMemWeights: r_q.mem_weights <= 23'(merged(32'(r_q.mem_weights), write_data, mask));
          AddrDramBase:      r_q.dram_base      <= merged(r_q.dram_base, write_data, mask);
          AddrWeightsOffset:
            r_q.weights_offset <= 23'(merged(32'(r_q.weights_offset), write_data, mask));
          AddrNumWeights: r_q.num_weights <= 19'(merged(32'(r_q.num_weights), write_data, mask));
          AddrInputOffset: r_q.input_offset <= 23'(merged(32'(r_q.input_offset), write_data, mask));
          AddrShifts:        {r_q.shift_concat, r_q.shift_out, r_q.shift_bias}
                     <= 24'(merged({8'd0, r_q.shift_concat, r_q.shift_out, r_q.shift_bias},
                         write_data, mask));
          AddrMemWords: r_q.mem_words <= 23'(merged(32'(r_q.mem_words), write_data, mask));
          default: ;
        endcase
      end
    end
  end

endmodule
