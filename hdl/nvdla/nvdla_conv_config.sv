// SPDX-License-Identifier: Apache-2.0
//
// nvdla_conv_config - the settings of a convolution out of the registers of CDMA, CSC and CACC.
// Combinational.

module nvdla_conv_config
  import nvdla_regs_pkg::*;
(
  // Most registers hold more bits than the core looks at.
  // verilator lint_off UNUSEDSIGNAL
  input  logic [WordsCdma-1:0][31:0] cdma,
  input  logic [WordsCsc-1:0][31:0]  csc,
  input  logic [WordsCacc-1:0][31:0] cacc,
  // verilator lint_on UNUSEDSIGNAL

  output nvdla_pkg::fetch_t          fetch,
  output nvdla_pkg::compute_t        compute
);

  localparam int unsigned Misc     = WordCdmaDMiscCfg;
  localparam int unsigned Form     = WordCdmaDDatainFormat;
  localparam int unsigned InSize   = WordCdmaDDatainSize0;
  localparam int unsigned Mean0    = WordCdmaDMeanGlobal0;
  localparam int unsigned Mean1    = WordCdmaDMeanGlobal1;
  localparam int unsigned Bank     = WordCdmaDBank;

  always_comb begin
    fetch.reuse_data     = cdma[Misc][16];
    fetch.reuse_weights  = cdma[Misc][20];
    fetch.skip_data      = cdma[Misc][24];
    fetch.skip_weights   = cdma[Misc][28];
    fetch.pixels         = cdma[Form][0];
    fetch.form           = cdma[Form][13:8];
    fetch.is_signed      = !cdma[Form][0] || cdma[Form][20];
    fetch.width          = 14'(cdma[InSize][12:0]) + 14'd1;
    fetch.height         = 14'(cdma[InSize][28:16]) + 14'd1;
    fetch.channels       = 14'(cdma[WordCdmaDDatainSize1][12:0]) + 14'd1;
    fetch.first_pixel    = cdma[WordCdmaDPixelOffset][4:0];
    fetch.plane_0        = cdma[WordCdmaDDainAddrLow0];
    fetch.plane_1        = cdma[WordCdmaDDainAddrLow1];
    fetch.line_stride    = cdma[WordCdmaDLineStride];
    fetch.line_stride_1  = cdma[WordCdmaDLineUvStride];
    fetch.surface_stride = cdma[WordCdmaDSurfStride];
    fetch.slice          = 15'(cdma[WordCdmaDEntryPerSlice][13:0]) + 15'd1;
    fetch.weights        = cdma[WordCdmaDWeightAddrLow];
    fetch.weight_entries = 30'(33'(cdma[WordCdmaDWeightBytes]) + 33'd7 >> 3);
    fetch.means          = cdma[Form][0] && cdma[WordCdmaDMeanFormat][0];
    fetch.mean           = {cdma[Mean1], cdma[Mean0]};
    fetch.convert        = cdma[WordCdmaDCvtCfg][0];
    fetch.truncate       = cdma[WordCdmaDCvtCfg][9:4];
    fetch.offset         = cdma[WordCdmaDCvtOffset][15:0];
    fetch.scale          = cdma[WordCdmaDCvtScale][15:0];
    fetch.pad_left       = cdma[WordCdmaDZeroPadding][4:0];
    fetch.pad_value      = cdma[WordCdmaDZeroPaddingValue][7:0];
    fetch.banks.data     = 6'(cdma[Bank][4:0]) + 6'd1;
    fetch.banks.weights  = 6'(cdma[Bank][20:16]) + 6'd1;
  end

  localparam int unsigned CscMisc = WordCscDMiscCfg;
  localparam int unsigned Size0   = WordCscDDatainSizeExt0;
  localparam int unsigned Kernel0 = WordCscDWeightSizeExt0;
  localparam int unsigned Kernel1 = WordCscDWeightSizeExt1;
  localparam int unsigned OutSize = WordCscDDataoutSize0;
  localparam int unsigned Joined  = WordCscDPostYExtension;
  localparam int unsigned Stride  = WordCscDConvStrideExt;
  localparam int unsigned Spread  = WordCscDDilationExt;

  always_comb begin
    compute.skip_data      = csc[CscMisc][24];
    compute.skip_weights   = csc[CscMisc][28];
    compute.pixels         = csc[WordCscDDatainFormat][0];
    compute.width          = 14'(csc[Size0][12:0]) + 14'd1;
    compute.height         = 14'(csc[Size0][28:16]) + 14'd1;
    compute.pixel_channels = 3'(csc[WordCscDDatainSizeExt1][1:0]) + 3'd1;
    compute.joined         = !compute.pixels ? 3'd1
        : csc[Joined][1] ? 3'd4 : csc[Joined][0] ? 3'd2 : 3'd1;
    compute.columns        = 6'(csc[Kernel0][4:0]) + 6'd1;
    compute.rows           = 6'(csc[Kernel0][20:16]) + 6'd1;
    compute.depth          = 14'(csc[Kernel1][12:0]) + 14'd1;
    compute.kernels        = 14'(csc[Kernel1][28:16]) + 14'd1;
    compute.out_width      = 14'(csc[OutSize][12:0]) + 14'd1;
    compute.out_height     = 14'(csc[OutSize][28:16]) + 14'd1;
    compute.release_slices = 13'(csc[WordCscDRelease][11:0]) + 13'd1;
    compute.stride_x       = 4'(csc[Stride][2:0]) + 4'd1;
    compute.stride_y       = 4'(csc[Stride][18:16]) + 4'd1;
    // Kernels of pixels are dense.
    compute.dilation_x     = compute.pixels ? 6'd1 : 6'(csc[Spread][4:0]) + 6'd1;
    compute.dilation_y     = compute.pixels ? 6'd1 : 6'(csc[Spread][20:16]) + 6'd1;
    compute.pad_left       = compute.pixels ? '0 : csc[WordCscDZeroPadding][4:0];
    compute.pad_top        = csc[WordCscDZeroPadding][20:16];
    compute.pad_value      = csc[WordCscDZeroPaddingValue][7:0];
    compute.slice          = 15'(csc[WordCscDEntryPerSlice][13:0]) + 15'd1;
    compute.truncate       = cacc[WordCaccDClipCfg][4:0];
  end

endmodule
