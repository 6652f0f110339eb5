// SPDX-License-Identifier: Apache-2.0
//
// nvdla_regs_pkg - what each register resets to, which of its bits can be read, which written.
//
// Made from nvdla.rdl by `python -m goldbeat.tb.build.regmaps --write`.

package nvdla_regs_pkg;

  typedef struct packed {
    logic [31:0] reset;
    logic [31:0] read;
    logic [31:0] write;
  } entry_t;

  // 0 without a register.
  function automatic entry_t entry(input logic [15:0] address);
    case (address)
      16'h0000: return 96'h00010001_ffffffff_00000000; // CFGROM.CFGROM_HW_VERSION
      16'h0004: return 96'h00000001_ffffffff_00000000; // CFGROM.CFGROM_GLB_DESC
      16'h0008: return 96'h00180002_ffffffff_00000000; // CFGROM.CFGROM_CIF_DESC
      16'h000c: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CIF_CAP_INCOMPAT
      16'h0010: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CIF_CAP_COMPAT
      16'h0014: return 96'h00000008_000000ff_00000000; // CFGROM.CFGROM_CIF_BASE_WIDTH
      16'h0018: return 96'h00000032_ffffffff_00000000; // CFGROM.CFGROM_CIF_BASE_LATENCY
      16'h001c: return 96'h00000080_ffffffe0_00000000; // CFGROM.CFGROM_CIF_BASE_BURST_LENGTH_MAX
      16'h0020: return 96'h00000400_ffffffe0_00000000; // CFGROM.CFGROM_CIF_BASE_MEM_ADDR_WIDTH
      16'h0024: return 96'h00340003_ffffffff_00000000; // CFGROM.CFGROM_CDMA_DESC
      16'h0028: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CDMA_CAP_INCOMPAT
      16'h002c: return 96'h00000010_ffffffff_00000000; // CFGROM.CFGROM_CDMA_CAP_COMPAT
      16'h0030: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CDMA_BASE_FEATURE_TYPES
      16'h0034: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CDMA_BASE_WEIGHT_TYPES
      16'h0038: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CDMA_BASE_ATOMIC_C
      16'h003c: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CDMA_BASE_ATOMIC_K
      16'h0040: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CDMA_BASE_ATOMIC_M
      16'h0044: return 96'h00000020_ffffffff_00000000; // CFGROM.CFGROM_CDMA_BASE_CBUF_BANK_NUM
      16'h0048: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CDMA_BASE_CBUF_BANK_WIDTH
      16'h004c: return 96'h00000200_ffffffff_00000000; // CFGROM.CFGROM_CDMA_BASE_CBUF_BANK_DEPTH
      16'h0050: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CDMA_MULTI_BATCH_MAX
      16'h0054: return 96'h0cfff001_ffffffff_00000000; // CFGROM.CFGROM_CDMA_IMAGE_IN_FORMATS_PACKED
      16'h0058: return 96'h00000003_ffffffff_00000000; // CFGROM.CFGROM_CDMA_IMAGE_IN_FORMATS_SEMI
      16'h005c: return 96'h00180004_ffffffff_00000000; // CFGROM.CFGROM_CBUF_DESC
      16'h0060: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CBUF_CAP_INCOMPAT
      16'h0064: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CBUF_CAP_COMPAT
      16'h0068: return 96'h00000020_ffffffff_00000000; // CFGROM.CFGROM_CBUF_BASE_CBUF_BANK_NUM
      16'h006c: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CBUF_BASE_CBUF_BANK_WIDTH
      16'h0070: return 96'h00000200_ffffffff_00000000; // CFGROM.CFGROM_CBUF_BASE_CBUF_BANK_DEPTH
      16'h0074: return 96'h00000003_ffffffff_00000000; // CFGROM.CFGROM_CBUF_BASE_CDMA_ID
      16'h0078: return 96'h00300005_ffffffff_00000000; // CFGROM.CFGROM_CSC_DESC
      16'h007c: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CSC_CAP_INCOMPAT
      16'h0080: return 96'h00000010_ffffffff_00000000; // CFGROM.CFGROM_CSC_CAP_COMPAT
      16'h0084: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CSC_BASE_FEATURE_TYPES
      16'h0088: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CSC_BASE_WEIGHT_TYPES
      16'h008c: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CSC_BASE_ATOMIC_C
      16'h0090: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CSC_BASE_ATOMIC_K
      16'h0094: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CSC_BASE_ATOMIC_M
      16'h0098: return 96'h00000020_ffffffff_00000000; // CFGROM.CFGROM_CSC_BASE_CBUF_BANK_NUM
      16'h009c: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CSC_BASE_CBUF_BANK_WIDTH
      16'h00a0: return 96'h00000200_ffffffff_00000000; // CFGROM.CFGROM_CSC_BASE_CBUF_BANK_DEPTH
      16'h00a4: return 96'h00000003_ffffffff_00000000; // CFGROM.CFGROM_CSC_BASE_CDMA_ID
      16'h00a8: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CSC_MULTI_BATCH_MAX
      16'h00ac: return 96'h001c0006_ffffffff_00000000; // CFGROM.CFGROM_CMAC_A_DESC
      16'h00b0: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CMAC_A_CAP_INCOMPAT
      16'h00b4: return 96'h00000010_ffffffff_00000000; // CFGROM.CFGROM_CMAC_A_CAP_COMPAT
      16'h00b8: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CMAC_A_BASE_FEATURE_TYPES
      16'h00bc: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CMAC_A_BASE_WEIGHT_TYPES
      16'h00c0: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CMAC_A_BASE_ATOMIC_C
      16'h00c4: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CMAC_A_BASE_ATOMIC_K
      16'h00c8: return 96'h00000003_ffffffff_00000000; // CFGROM.CFGROM_CMAC_A_BASE_CDMA_ID
      16'h00cc: return 96'h001c0006_ffffffff_00000000; // CFGROM.CFGROM_CMAC_B_DESC
      16'h00d0: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CMAC_B_CAP_INCOMPAT
      16'h00d4: return 96'h00000010_ffffffff_00000000; // CFGROM.CFGROM_CMAC_B_CAP_COMPAT
      16'h00d8: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CMAC_B_BASE_FEATURE_TYPES
      16'h00dc: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CMAC_B_BASE_WEIGHT_TYPES
      16'h00e0: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CMAC_B_BASE_ATOMIC_C
      16'h00e4: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CMAC_B_BASE_ATOMIC_K
      16'h00e8: return 96'h00000003_ffffffff_00000000; // CFGROM.CFGROM_CMAC_B_BASE_CDMA_ID
      16'h00ec: return 96'h00200007_ffffffff_00000000; // CFGROM.CFGROM_CACC_DESC
      16'h00f0: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CACC_CAP_INCOMPAT
      16'h00f4: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CACC_CAP_COMPAT
      16'h00f8: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CACC_BASE_FEATURE_TYPES
      16'h00fc: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CACC_BASE_WEIGHT_TYPES
      16'h0100: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CACC_BASE_ATOMIC_C
      16'h0104: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CACC_BASE_ATOMIC_K
      16'h0108: return 96'h00000003_ffffffff_00000000; // CFGROM.CFGROM_CACC_BASE_CDMA_ID
      16'h010c: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CACC_MULTI_BATCH_MAX
      16'h0110: return 96'h000e0008_ffffffff_00000000; // CFGROM.CFGROM_SDP_RDMA_DESC
      16'h0114: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_SDP_RDMA_CAP_INCOMPAT
      16'h0118: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_SDP_RDMA_CAP_COMPAT
      16'h011c: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_SDP_RDMA_BASE_ATOMIC_M
      16'h0120: return 96'h00000009_ffffffff_00000000; // CFGROM.CFGROM_SDP_RDMA_BASE_SDP_ID
      16'h0124: return 96'h00200009_ffffffff_00000000; // CFGROM.CFGROM_SDP_DESC
      16'h0128: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_SDP_CAP_INCOMPAT
      16'h012c: return 96'h00000018_ffffffff_00000000; // CFGROM.CFGROM_SDP_CAP_COMPAT
      16'h0130: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_SDP_BASE_FEATURE_TYPES
      16'h0134: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_SDP_BASE_WEIGHT_TYPES
      16'h0138: return 96'h00000003_ffffffff_00000000; // CFGROM.CFGROM_SDP_BASE_CDMA_ID
      16'h013c: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_SDP_MULTI_BATCH_MAX
      16'h0140: return 96'h00000001_ffffffff_00000000; // CFGROM.CFGROM_SDP_BS_THROUGHPUT
      16'h0144: return 96'h00000001_ffffffff_00000000; // CFGROM.CFGROM_SDP_BN_THROUGHPUT
      16'h0148: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_SDP_EW_THROUGHPUT
      16'h014c: return 96'h000e000a_ffffffff_00000000; // CFGROM.CFGROM_PDP_RDMA_DESC
      16'h0150: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_PDP_RDMA_CAP_INCOMPAT
      16'h0154: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_PDP_RDMA_CAP_COMPAT
      16'h0158: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_PDP_RDMA_BASE_ATOMIC_M
      16'h015c: return 96'h0000000b_ffffffff_00000000; // CFGROM.CFGROM_PDP_RDMA_BASE_PDP_ID
      16'h0160: return 96'h0010000b_ffffffff_00000000; // CFGROM.CFGROM_PDP_DESC
      16'h0164: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_PDP_CAP_INCOMPAT
      16'h0168: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_PDP_CAP_COMPAT
      16'h016c: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_PDP_BASE_FEATURE_TYPES
      16'h0170: return 96'h00000001_ffffffff_00000000; // CFGROM.CFGROM_PDP_BASE_THROUGHPUT
      16'h0174: return 96'h000e000c_ffffffff_00000000; // CFGROM.CFGROM_CDP_RDMA_DESC
      16'h0178: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CDP_RDMA_CAP_INCOMPAT
      16'h017c: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CDP_RDMA_CAP_COMPAT
      16'h0180: return 96'h00000008_ffffffff_00000000; // CFGROM.CFGROM_CDP_RDMA_BASE_ATOMIC_M
      16'h0184: return 96'h0000000d_ffffffff_00000000; // CFGROM.CFGROM_CDP_RDMA_BASE_CDP_ID
      16'h0188: return 96'h0010000d_ffffffff_00000000; // CFGROM.CFGROM_CDP_DESC
      16'h018c: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CDP_CAP_INCOMPAT
      16'h0190: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_CDP_CAP_COMPAT
      16'h0194: return 96'h00000010_00000fff_00000000; // CFGROM.CFGROM_CDP_BASE_FEATURE_TYPES
      16'h0198: return 96'h00000001_ffffffff_00000000; // CFGROM.CFGROM_CDP_BASE_THROUGHPUT
      16'h019c: return 96'h00000000_ffffffff_00000000; // CFGROM.CFGROM_END_OF_LIST
      16'h1000: return 96'h00303031_00ffffff_00000000; // GLB.S_NVDLA_HW_VERSION
      16'h1004: return 96'h00000000_003f03ff_003f03ff; // GLB.S_INTR_MASK
      16'h1008: return 96'h00000000_00000000_003f03ff; // GLB.S_INTR_SET
      16'h100c: return 96'h00000000_003f03ff_003f03ff; // GLB.S_INTR_STATUS
      16'h2000: return 96'h01010101_ffffffff_ffffffff; // MCIF.CFG_RD_WEIGHT_0
      16'h2004: return 96'h01010101_ffffffff_ffffffff; // MCIF.CFG_RD_WEIGHT_1
      16'h2008: return 96'h01010101_ffffffff_ffffffff; // MCIF.CFG_RD_WEIGHT_2
      16'h200c: return 96'h01010101_ffffffff_ffffffff; // MCIF.CFG_WR_WEIGHT_0
      16'h2010: return 96'h01010101_ffffffff_ffffffff; // MCIF.CFG_WR_WEIGHT_1
      16'h2014: return 96'h0000ffff_0000ffff_0000ffff; // MCIF.CFG_OUTSTANDING_CNT
      16'h2018: return 96'h00000100_00000100_00000000; // MCIF.STATUS
      16'h3000: return 96'h00000000_00030003_00000000; // CDMA.S_STATUS
      16'h3004: return 96'h00000000_00010001_00000001; // CDMA.S_POINTER
      16'h3008: return 96'h0003000f_000f000f_000f000f; // CDMA.S_ARBITER
      16'h300c: return 96'h00000000_00000001_00000000; // CDMA.S_CBUF_FLUSH_STATUS
      16'h3010: return 96'h00000000_00000001_00000001; // CDMA.D_OP_ENABLE
      16'h3014: return 96'h00001100_11113301_11113301; // CDMA.D_MISC_CFG
      16'h3018: return 96'h00000c00_00113f01_00113f01; // CDMA.D_DATAIN_FORMAT
      16'h301c: return 96'h00000000_1fff1fff_1fff1fff; // CDMA.D_DATAIN_SIZE_0
      16'h3020: return 96'h00000000_00001fff_00001fff; // CDMA.D_DATAIN_SIZE_1
      16'h3024: return 96'h00000000_1fff1fff_1fff1fff; // CDMA.D_DATAIN_SIZE_EXT_0
      16'h3028: return 96'h00000000_0007001f_0007001f; // CDMA.D_PIXEL_OFFSET
      16'h302c: return 96'h00000000_00000001_00000001; // CDMA.D_DAIN_RAM_TYPE
      16'h3030: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_DAIN_ADDR_HIGH_0
      16'h3034: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_DAIN_ADDR_LOW_0
      16'h3038: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_DAIN_ADDR_HIGH_1
      16'h303c: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_DAIN_ADDR_LOW_1
      16'h3040: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_LINE_STRIDE
      16'h3044: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_LINE_UV_STRIDE
      16'h3048: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_SURF_STRIDE
      16'h304c: return 96'h00000000_00010001_00010001; // CDMA.D_DAIN_MAP
      16'h3050: return 96'h00000000_03ff03ff_03ff03ff; // CDMA.D_RESERVED_X_CFG
      16'h3054: return 96'h00000000_001f0007_001f0007; // CDMA.D_RESERVED_Y_CFG
      16'h3058: return 96'h00000000_0000001f_0000001f; // CDMA.D_BATCH_NUMBER
      16'h305c: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_BATCH_STRIDE
      16'h3060: return 96'h00000000_00003fff_00003fff; // CDMA.D_ENTRY_PER_SLICE
      16'h3064: return 96'h00000000_00000fff_00000fff; // CDMA.D_FETCH_GRAIN
      16'h3068: return 96'h00000000_00000001_00000001; // CDMA.D_WEIGHT_FORMAT
      16'h306c: return 96'h00000000_0003ffff_0003ffff; // CDMA.D_WEIGHT_SIZE_0
      16'h3070: return 96'h00000000_00001fff_00001fff; // CDMA.D_WEIGHT_SIZE_1
      16'h3074: return 96'h00000000_00000001_00000001; // CDMA.D_WEIGHT_RAM_TYPE
      16'h3078: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_WEIGHT_ADDR_HIGH
      16'h307c: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_WEIGHT_ADDR_LOW
      16'h3080: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_WEIGHT_BYTES
      16'h3084: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_WGS_ADDR_HIGH
      16'h3088: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_WGS_ADDR_LOW
      16'h308c: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_WMB_ADDR_HIGH
      16'h3090: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_WMB_ADDR_LOW
      16'h3094: return 96'h00000000_0fffffff_0fffffff; // CDMA.D_WMB_BYTES
      16'h3098: return 96'h00000000_00000001_00000001; // CDMA.D_MEAN_FORMAT
      16'h309c: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_MEAN_GLOBAL_0
      16'h30a0: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_MEAN_GLOBAL_1
      16'h30a4: return 96'h00000000_000003f1_000003f1; // CDMA.D_CVT_CFG
      16'h30a8: return 96'h00000000_0000ffff_0000ffff; // CDMA.D_CVT_OFFSET
      16'h30ac: return 96'h00000000_0000ffff_0000ffff; // CDMA.D_CVT_SCALE
      16'h30b0: return 96'h00000000_00070007_00070007; // CDMA.D_CONV_STRIDE
      16'h30b4: return 96'h00000000_3f1f3f1f_3f1f3f1f; // CDMA.D_ZERO_PADDING
      16'h30b8: return 96'h00000000_0000ffff_0000ffff; // CDMA.D_ZERO_PADDING_VALUE
      16'h30bc: return 96'h00000000_001f001f_001f001f; // CDMA.D_BANK
      16'h30c0: return 96'h00000000_00000001_00000001; // CDMA.D_NAN_FLUSH_TO_ZERO
      16'h30c4: return 96'h00000000_ffffffff_00000000; // CDMA.D_NAN_INPUT_DATA_NUM
      16'h30c8: return 96'h00000000_ffffffff_00000000; // CDMA.D_NAN_INPUT_WEIGHT_NUM
      16'h30cc: return 96'h00000000_ffffffff_00000000; // CDMA.D_INF_INPUT_DATA_NUM
      16'h30d0: return 96'h00000000_ffffffff_00000000; // CDMA.D_INF_INPUT_WEIGHT_NUM
      16'h30d4: return 96'h00000000_00000001_00000001; // CDMA.D_PERF_ENABLE
      16'h30d8: return 96'h00000000_ffffffff_00000000; // CDMA.D_PERF_DAT_READ_STALL
      16'h30dc: return 96'h00000000_ffffffff_00000000; // CDMA.D_PERF_WT_READ_STALL
      16'h30e0: return 96'h00000000_ffffffff_00000000; // CDMA.D_PERF_DAT_READ_LATENCY
      16'h30e4: return 96'h00000000_ffffffff_00000000; // CDMA.D_PERF_WT_READ_LATENCY
      16'h30e8: return 96'h00000000_ffffffff_ffffffff; // CDMA.D_CYA
      16'h4000: return 96'h00000000_00030003_00000000; // CSC.S_STATUS
      16'h4004: return 96'h00000000_00010001_00000001; // CSC.S_POINTER
      16'h4008: return 96'h00000000_00000001_00000001; // CSC.D_OP_ENABLE
      16'h400c: return 96'h00001100_11113301_11113301; // CSC.D_MISC_CFG
      16'h4010: return 96'h00000000_00000001_00000001; // CSC.D_DATAIN_FORMAT
      16'h4014: return 96'h00000000_1fff1fff_1fff1fff; // CSC.D_DATAIN_SIZE_EXT_0
      16'h4018: return 96'h00000000_00001fff_00001fff; // CSC.D_DATAIN_SIZE_EXT_1
      16'h401c: return 96'h00000000_0000001f_0000001f; // CSC.D_BATCH_NUMBER
      16'h4020: return 96'h00000000_00000003_00000003; // CSC.D_POST_Y_EXTENSION
      16'h4024: return 96'h00000000_00003fff_00003fff; // CSC.D_ENTRY_PER_SLICE
      16'h4028: return 96'h00000000_00000001_00000001; // CSC.D_WEIGHT_FORMAT
      16'h402c: return 96'h00000000_001f001f_001f001f; // CSC.D_WEIGHT_SIZE_EXT_0
      16'h4030: return 96'h00000000_1fff1fff_1fff1fff; // CSC.D_WEIGHT_SIZE_EXT_1
      16'h4034: return 96'h00000000_ffffffff_ffffffff; // CSC.D_WEIGHT_BYTES
      16'h4038: return 96'h00000000_0fffffff_0fffffff; // CSC.D_WMB_BYTES
      16'h403c: return 96'h00000000_1fff1fff_1fff1fff; // CSC.D_DATAOUT_SIZE_0
      16'h4040: return 96'h00000000_00001fff_00001fff; // CSC.D_DATAOUT_SIZE_1
      16'h4044: return 96'h00000001_001fffff_001fffff; // CSC.D_ATOMICS
      16'h4048: return 96'h00000001_00000fff_00000fff; // CSC.D_RELEASE
      16'h404c: return 96'h00000000_00070007_00070007; // CSC.D_CONV_STRIDE_EXT
      16'h4050: return 96'h00000000_001f001f_001f001f; // CSC.D_DILATION_EXT
      16'h4054: return 96'h00000000_001f001f_001f001f; // CSC.D_ZERO_PADDING
      16'h4058: return 96'h00000000_0000ffff_0000ffff; // CSC.D_ZERO_PADDING_VALUE
      16'h405c: return 96'h00000000_001f001f_001f001f; // CSC.D_BANK
      16'h4060: return 96'h00000000_00000003_00000003; // CSC.D_PRA_CFG
      16'h4064: return 96'h00000000_ffffffff_ffffffff; // CSC.D_CYA
      16'h5000: return 96'h00000000_00030003_00000000; // CMAC_A.S_STATUS
      16'h5004: return 96'h00000000_00010001_00000001; // CMAC_A.S_POINTER
      16'h5008: return 96'h00000000_00000001_00000001; // CMAC_A.D_OP_ENABLE
      16'h500c: return 96'h00001000_00003001_00003001; // CMAC_A.D_MISC_CFG
      16'h6000: return 96'h00000000_00030003_00000000; // CMAC_B.S_STATUS
      16'h6004: return 96'h00000000_00010001_00000001; // CMAC_B.S_POINTER
      16'h6008: return 96'h00000000_00000001_00000001; // CMAC_B.D_OP_ENABLE
      16'h600c: return 96'h00001000_00003001_00003001; // CMAC_B.D_MISC_CFG
      16'h7000: return 96'h00000000_00030003_00000000; // CACC.S_STATUS
      16'h7004: return 96'h00000000_00010001_00000001; // CACC.S_POINTER
      16'h7008: return 96'h00000000_00000001_00000001; // CACC.D_OP_ENABLE
      16'h700c: return 96'h00001000_00003001_00003001; // CACC.D_MISC_CFG
      16'h7010: return 96'h00000000_1fff1fff_1fff1fff; // CACC.D_DATAOUT_SIZE_0
      16'h7014: return 96'h00000000_00001fff_00001fff; // CACC.D_DATAOUT_SIZE_1
      16'h7018: return 96'h00000000_ffffffff_ffffffff; // CACC.D_DATAOUT_ADDR
      16'h701c: return 96'h00000000_0000001f_0000001f; // CACC.D_BATCH_NUMBER
      16'h7020: return 96'h00000000_00ffffff_00ffffff; // CACC.D_LINE_STRIDE
      16'h7024: return 96'h00000000_00ffffff_00ffffff; // CACC.D_SURF_STRIDE
      16'h7028: return 96'h00000000_00010001_00010001; // CACC.D_DATAOUT_MAP
      16'h702c: return 96'h00000000_0000001f_0000001f; // CACC.D_CLIP_CFG
      16'h7030: return 96'h00000000_ffffffff_00000000; // CACC.D_OUT_SATURATION
      16'h7034: return 96'h00000000_ffffffff_ffffffff; // CACC.D_CYA
      16'h8000: return 96'h00000000_00030003_00000000; // SDP_RDMA.S_STATUS
      16'h8004: return 96'h00000000_00010001_00000001; // SDP_RDMA.S_POINTER
      16'h8008: return 96'h00000000_00000001_00000001; // SDP_RDMA.D_OP_ENABLE
      16'h800c: return 96'h00000000_00001fff_00001fff; // SDP_RDMA.D_DATA_CUBE_WIDTH
      16'h8010: return 96'h00000000_00001fff_00001fff; // SDP_RDMA.D_DATA_CUBE_HEIGHT
      16'h8014: return 96'h00000000_00001fff_00001fff; // SDP_RDMA.D_DATA_CUBE_CHANNEL
      16'h8018: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_SRC_BASE_ADDR_LOW
      16'h801c: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_SRC_BASE_ADDR_HIGH
      16'h8020: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_SRC_LINE_STRIDE
      16'h8024: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_SRC_SURFACE_STRIDE
      16'h8028: return 96'h00000001_0000003f_0000003f; // SDP_RDMA.D_BRDMA_CFG
      16'h802c: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BS_BASE_ADDR_LOW
      16'h8030: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BS_BASE_ADDR_HIGH
      16'h8034: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BS_LINE_STRIDE
      16'h8038: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BS_SURFACE_STRIDE
      16'h803c: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BS_BATCH_STRIDE
      16'h8040: return 96'h00000001_0000003f_0000003f; // SDP_RDMA.D_NRDMA_CFG
      16'h8044: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BN_BASE_ADDR_LOW
      16'h8048: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BN_BASE_ADDR_HIGH
      16'h804c: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BN_LINE_STRIDE
      16'h8050: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BN_SURFACE_STRIDE
      16'h8054: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_BN_BATCH_STRIDE
      16'h8058: return 96'h00000001_0000003f_0000003f; // SDP_RDMA.D_ERDMA_CFG
      16'h805c: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_EW_BASE_ADDR_LOW
      16'h8060: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_EW_BASE_ADDR_HIGH
      16'h8064: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_EW_LINE_STRIDE
      16'h8068: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_EW_SURFACE_STRIDE
      16'h806c: return 96'h00000000_ffffffff_ffffffff; // SDP_RDMA.D_EW_BATCH_STRIDE
      16'h8070: return 96'h00000014_00001fff_00001fff; // SDP_RDMA.D_FEATURE_MODE_CFG
      16'h8074: return 96'h00000000_00000001_00000001; // SDP_RDMA.D_SRC_DMA_CFG
      16'h8078: return 96'h00000000_ffffffff_00000000; // SDP_RDMA.D_STATUS_NAN_INPUT_NUM
      16'h807c: return 96'h00000000_ffffffff_00000000; // SDP_RDMA.D_STATUS_INF_INPUT_NUM
      16'h8080: return 96'h00000000_00000003_00000003; // SDP_RDMA.D_PERF_ENABLE
      16'h8084: return 96'h00000000_ffffffff_00000000; // SDP_RDMA.D_PERF_MRDMA_READ_STALL
      16'h8088: return 96'h00000000_ffffffff_00000000; // SDP_RDMA.D_PERF_BRDMA_READ_STALL
      16'h808c: return 96'h00000000_ffffffff_00000000; // SDP_RDMA.D_PERF_NRDMA_READ_STALL
      16'h8090: return 96'h00000000_ffffffff_00000000; // SDP_RDMA.D_PERF_ERDMA_READ_STALL
      16'h9000: return 96'h00000000_00030003_00000000; // SDP.S_STATUS
      16'h9004: return 96'h00000000_00010001_00000001; // SDP.S_POINTER
      16'h9008: return 96'h00000000_000303ff_000303ff; // SDP.S_LUT_ACCESS_CFG
      16'h900c: return 96'h00000000_0000ffff_0000ffff; // SDP.S_LUT_ACCESS_DATA
      16'h9010: return 96'h00000000_00000071_00000071; // SDP.S_LUT_CFG
      16'h9014: return 96'h00000000_00ffffff_00ffffff; // SDP.S_LUT_INFO
      16'h9018: return 96'h00000000_ffffffff_ffffffff; // SDP.S_LUT_LE_START
      16'h901c: return 96'h00000000_ffffffff_ffffffff; // SDP.S_LUT_LE_END
      16'h9020: return 96'h00000000_ffffffff_ffffffff; // SDP.S_LUT_LO_START
      16'h9024: return 96'h00000000_ffffffff_ffffffff; // SDP.S_LUT_LO_END
      16'h9028: return 96'h00000000_ffffffff_ffffffff; // SDP.S_LUT_LE_SLOPE_SCALE
      16'h902c: return 96'h00000000_000003ff_000003ff; // SDP.S_LUT_LE_SLOPE_SHIFT
      16'h9030: return 96'h00000000_ffffffff_ffffffff; // SDP.S_LUT_LO_SLOPE_SCALE
      16'h9034: return 96'h00000000_000003ff_000003ff; // SDP.S_LUT_LO_SLOPE_SHIFT
      16'h9038: return 96'h00000000_00000001_00000001; // SDP.D_OP_ENABLE
      16'h903c: return 96'h00000000_00001fff_00001fff; // SDP.D_DATA_CUBE_WIDTH
      16'h9040: return 96'h00000000_00001fff_00001fff; // SDP.D_DATA_CUBE_HEIGHT
      16'h9044: return 96'h00000000_00001fff_00001fff; // SDP.D_DATA_CUBE_CHANNEL
      16'h9048: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DST_BASE_ADDR_LOW
      16'h904c: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DST_BASE_ADDR_HIGH
      16'h9050: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DST_LINE_STRIDE
      16'h9054: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DST_SURFACE_STRIDE
      16'h9058: return 96'h00000073_0000007f_0000007f; // SDP.D_DP_BS_CFG
      16'h905c: return 96'h00000000_00003f01_00003f01; // SDP.D_DP_BS_ALU_CFG
      16'h9060: return 96'h00000000_0000ffff_0000ffff; // SDP.D_DP_BS_ALU_SRC_VALUE
      16'h9064: return 96'h00000000_0000ff01_0000ff01; // SDP.D_DP_BS_MUL_CFG
      16'h9068: return 96'h00000000_0000ffff_0000ffff; // SDP.D_DP_BS_MUL_SRC_VALUE
      16'h906c: return 96'h00000053_0000007f_0000007f; // SDP.D_DP_BN_CFG
      16'h9070: return 96'h00000000_00003f01_00003f01; // SDP.D_DP_BN_ALU_CFG
      16'h9074: return 96'h00000000_0000ffff_0000ffff; // SDP.D_DP_BN_ALU_SRC_VALUE
      16'h9078: return 96'h00000000_0000ff01_0000ff01; // SDP.D_DP_BN_MUL_CFG
      16'h907c: return 96'h00000000_0000ffff_0000ffff; // SDP.D_DP_BN_MUL_SRC_VALUE
      16'h9080: return 96'h00000053_0000007f_0000007f; // SDP.D_DP_EW_CFG
      16'h9084: return 96'h00000002_00000003_00000003; // SDP.D_DP_EW_ALU_CFG
      16'h9088: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DP_EW_ALU_SRC_VALUE
      16'h908c: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DP_EW_ALU_CVT_OFFSET_VALUE
      16'h9090: return 96'h00000000_0000ffff_0000ffff; // SDP.D_DP_EW_ALU_CVT_SCALE_VALUE
      16'h9094: return 96'h00000000_0000003f_0000003f; // SDP.D_DP_EW_ALU_CVT_TRUNCATE_VALUE
      16'h9098: return 96'h00000002_00000003_00000003; // SDP.D_DP_EW_MUL_CFG
      16'h909c: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DP_EW_MUL_SRC_VALUE
      16'h90a0: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DP_EW_MUL_CVT_OFFSET_VALUE
      16'h90a4: return 96'h00000000_0000ffff_0000ffff; // SDP.D_DP_EW_MUL_CVT_SCALE_VALUE
      16'h90a8: return 96'h00000000_0000003f_0000003f; // SDP.D_DP_EW_MUL_CVT_TRUNCATE_VALUE
      16'h90ac: return 96'h00000000_000003ff_000003ff; // SDP.D_DP_EW_TRUNCATE_VALUE
      16'h90b0: return 96'h00000000_00001f0f_00001f0f; // SDP.D_FEATURE_MODE_CFG
      16'h90b4: return 96'h00000000_00000001_00000001; // SDP.D_DST_DMA_CFG
      16'h90b8: return 96'h00000000_ffffffff_ffffffff; // SDP.D_DST_BATCH_STRIDE
      16'h90bc: return 96'h00000000_0000000f_0000000f; // SDP.D_DATA_FORMAT
      16'h90c0: return 96'h00000000_ffffffff_ffffffff; // SDP.D_CVT_OFFSET
      16'h90c4: return 96'h00000000_0000ffff_0000ffff; // SDP.D_CVT_SCALE
      16'h90c8: return 96'h00000000_0000003f_0000003f; // SDP.D_CVT_SHIFT
      16'h90cc: return 96'h00000000_00000001_00000000; // SDP.D_STATUS
      16'h90d0: return 96'h00000000_ffffffff_00000000; // SDP.D_STATUS_NAN_INPUT_NUM
      16'h90d4: return 96'h00000000_ffffffff_00000000; // SDP.D_STATUS_INF_INPUT_NUM
      16'h90d8: return 96'h00000000_ffffffff_00000000; // SDP.D_STATUS_NAN_OUTPUT_NUM
      16'h90dc: return 96'h00000000_0000000f_0000000f; // SDP.D_PERF_ENABLE
      16'h90e0: return 96'h00000000_ffffffff_00000000; // SDP.D_PERF_WDMA_WRITE_STALL
      16'h90e4: return 96'h00000000_ffffffff_00000000; // SDP.D_PERF_LUT_UFLOW
      16'h90e8: return 96'h00000000_ffffffff_00000000; // SDP.D_PERF_LUT_OFLOW
      16'h90ec: return 96'h00000000_ffffffff_00000000; // SDP.D_PERF_OUT_SATURATION
      16'h90f0: return 96'h00000000_ffffffff_00000000; // SDP.D_PERF_LUT_HYBRID
      16'h90f4: return 96'h00000000_ffffffff_00000000; // SDP.D_PERF_LUT_LE_HIT
      16'h90f8: return 96'h00000000_ffffffff_00000000; // SDP.D_PERF_LUT_LO_HIT
      16'ha000: return 96'h00000000_00030003_00000000; // PDP_RDMA.S_STATUS
      16'ha004: return 96'h00000000_00010001_00000001; // PDP_RDMA.S_POINTER
      16'ha008: return 96'h00000000_00000001_00000001; // PDP_RDMA.D_OP_ENABLE
      16'ha00c: return 96'h00000000_00001fff_00001fff; // PDP_RDMA.D_DATA_CUBE_IN_WIDTH
      16'ha010: return 96'h00000000_00001fff_00001fff; // PDP_RDMA.D_DATA_CUBE_IN_HEIGHT
      16'ha014: return 96'h00000000_00001fff_00001fff; // PDP_RDMA.D_DATA_CUBE_IN_CHANNEL
      16'ha018: return 96'h00000000_00000001_00000001; // PDP_RDMA.D_FLYING_MODE
      16'ha01c: return 96'h00000000_ffffffff_ffffffff; // PDP_RDMA.D_SRC_BASE_ADDR_LOW
      16'ha020: return 96'h00000000_ffffffff_ffffffff; // PDP_RDMA.D_SRC_BASE_ADDR_HIGH
      16'ha024: return 96'h00000000_ffffffff_ffffffff; // PDP_RDMA.D_SRC_LINE_STRIDE
      16'ha028: return 96'h00000000_ffffffff_ffffffff; // PDP_RDMA.D_SRC_SURFACE_STRIDE
      16'ha02c: return 96'h00000000_00000001_00000001; // PDP_RDMA.D_SRC_RAM_CFG
      16'ha030: return 96'h00000000_00000003_00000003; // PDP_RDMA.D_DATA_FORMAT
      16'ha034: return 96'h00000000_000000ff_000000ff; // PDP_RDMA.D_OPERATION_MODE_CFG
      16'ha038: return 96'h00000000_000000ff_000000ff; // PDP_RDMA.D_POOLING_KERNEL_CFG
      16'ha03c: return 96'h00000000_0000000f_0000000f; // PDP_RDMA.D_POOLING_PADDING_CFG
      16'ha040: return 96'h00000000_3fffffff_3fffffff; // PDP_RDMA.D_PARTIAL_WIDTH_IN
      16'ha044: return 96'h00000000_00000001_00000001; // PDP_RDMA.D_PERF_ENABLE
      16'ha048: return 96'h00000000_ffffffff_00000000; // PDP_RDMA.D_PERF_READ_STALL
      16'ha04c: return 96'h00000000_ffffffff_ffffffff; // PDP_RDMA.D_CYA
      16'hb000: return 96'h00000000_00030003_00000000; // PDP.S_STATUS
      16'hb004: return 96'h00000000_00010001_00000001; // PDP.S_POINTER
      16'hb008: return 96'h00000000_00000001_00000001; // PDP.D_OP_ENABLE
      16'hb00c: return 96'h00000000_00001fff_00001fff; // PDP.D_DATA_CUBE_IN_WIDTH
      16'hb010: return 96'h00000000_00001fff_00001fff; // PDP.D_DATA_CUBE_IN_HEIGHT
      16'hb014: return 96'h00000000_00001fff_00001fff; // PDP.D_DATA_CUBE_IN_CHANNEL
      16'hb018: return 96'h00000000_00001fff_00001fff; // PDP.D_DATA_CUBE_OUT_WIDTH
      16'hb01c: return 96'h00000000_00001fff_00001fff; // PDP.D_DATA_CUBE_OUT_HEIGHT
      16'hb020: return 96'h00000000_00001fff_00001fff; // PDP.D_DATA_CUBE_OUT_CHANNEL
      16'hb024: return 96'h00000000_0000ff13_0000ff13; // PDP.D_OPERATION_MODE_CFG
      16'hb028: return 96'h00000000_00000001_00000001; // PDP.D_NAN_FLUSH_TO_ZERO
      16'hb02c: return 96'h00000000_3fffffff_3fffffff; // PDP.D_PARTIAL_WIDTH_IN
      16'hb030: return 96'h00000000_3fffffff_3fffffff; // PDP.D_PARTIAL_WIDTH_OUT
      16'hb034: return 96'h00000000_00ff0f0f_00ff0f0f; // PDP.D_POOLING_KERNEL_CFG
      16'hb038: return 96'h00000000_0001ffff_0001ffff; // PDP.D_RECIP_KERNEL_WIDTH
      16'hb03c: return 96'h00000000_0001ffff_0001ffff; // PDP.D_RECIP_KERNEL_HEIGHT
      16'hb040: return 96'h00000000_00007777_00007777; // PDP.D_POOLING_PADDING_CFG
      16'hb044: return 96'h00000000_0007ffff_0007ffff; // PDP.D_POOLING_PADDING_VALUE_1_CFG
      16'hb048: return 96'h00000000_0007ffff_0007ffff; // PDP.D_POOLING_PADDING_VALUE_2_CFG
      16'hb04c: return 96'h00000000_0007ffff_0007ffff; // PDP.D_POOLING_PADDING_VALUE_3_CFG
      16'hb050: return 96'h00000000_0007ffff_0007ffff; // PDP.D_POOLING_PADDING_VALUE_4_CFG
      16'hb054: return 96'h00000000_0007ffff_0007ffff; // PDP.D_POOLING_PADDING_VALUE_5_CFG
      16'hb058: return 96'h00000000_0007ffff_0007ffff; // PDP.D_POOLING_PADDING_VALUE_6_CFG
      16'hb05c: return 96'h00000000_0007ffff_0007ffff; // PDP.D_POOLING_PADDING_VALUE_7_CFG
      16'hb060: return 96'h00000000_ffffffff_ffffffff; // PDP.D_SRC_BASE_ADDR_LOW
      16'hb064: return 96'h00000000_ffffffff_ffffffff; // PDP.D_SRC_BASE_ADDR_HIGH
      16'hb068: return 96'h00000000_ffffffff_ffffffff; // PDP.D_SRC_LINE_STRIDE
      16'hb06c: return 96'h00000000_ffffffff_ffffffff; // PDP.D_SRC_SURFACE_STRIDE
      16'hb070: return 96'h00000000_ffffffff_ffffffff; // PDP.D_DST_BASE_ADDR_LOW
      16'hb074: return 96'h00000000_ffffffff_ffffffff; // PDP.D_DST_BASE_ADDR_HIGH
      16'hb078: return 96'h00000000_ffffffff_ffffffff; // PDP.D_DST_LINE_STRIDE
      16'hb07c: return 96'h00000000_ffffffff_ffffffff; // PDP.D_DST_SURFACE_STRIDE
      16'hb080: return 96'h00000000_00000001_00000001; // PDP.D_DST_RAM_CFG
      16'hb084: return 96'h00000000_00000003_00000003; // PDP.D_DATA_FORMAT
      16'hb088: return 96'h00000000_ffffffff_00000000; // PDP.D_INF_INPUT_NUM
      16'hb08c: return 96'h00000000_ffffffff_00000000; // PDP.D_NAN_INPUT_NUM
      16'hb090: return 96'h00000000_ffffffff_00000000; // PDP.D_NAN_OUTPUT_NUM
      16'hb094: return 96'h00000000_00000001_00000001; // PDP.D_PERF_ENABLE
      16'hb098: return 96'h00000000_ffffffff_00000000; // PDP.D_PERF_WRITE_STALL
      16'hb09c: return 96'h00000000_ffffffff_ffffffff; // PDP.D_CYA
      16'hc000: return 96'h00000000_00030003_00000000; // CDP_RDMA.S_STATUS
      16'hc004: return 96'h00000000_00010001_00000001; // CDP_RDMA.S_POINTER
      16'hc008: return 96'h00000000_00000001_00000001; // CDP_RDMA.D_OP_ENABLE
      16'hc00c: return 96'h00000000_00001fff_00001fff; // CDP_RDMA.D_DATA_CUBE_WIDTH
      16'hc010: return 96'h00000000_00001fff_00001fff; // CDP_RDMA.D_DATA_CUBE_HEIGHT
      16'hc014: return 96'h00000000_00001fff_00001fff; // CDP_RDMA.D_DATA_CUBE_CHANNEL
      16'hc018: return 96'h00000000_ffffffff_ffffffff; // CDP_RDMA.D_SRC_BASE_ADDR_LOW
      16'hc01c: return 96'h00000000_ffffffff_ffffffff; // CDP_RDMA.D_SRC_BASE_ADDR_HIGH
      16'hc020: return 96'h00000000_ffffffff_ffffffff; // CDP_RDMA.D_SRC_LINE_STRIDE
      16'hc024: return 96'h00000000_ffffffff_ffffffff; // CDP_RDMA.D_SRC_SURFACE_STRIDE
      16'hc028: return 96'h00000000_00000001_00000001; // CDP_RDMA.D_SRC_DMA_CFG
      16'hc02c: return 96'h00000000_00000001_00000000; // CDP_RDMA.D_SRC_COMPRESSION_EN
      16'hc030: return 96'h00000000_00000003_00000000; // CDP_RDMA.D_OPERATION_MODE
      16'hc034: return 96'h00000000_00000003_00000003; // CDP_RDMA.D_DATA_FORMAT
      16'hc038: return 96'h00000000_00000001_00000001; // CDP_RDMA.D_PERF_ENABLE
      16'hc03c: return 96'h00000000_ffffffff_00000000; // CDP_RDMA.D_PERF_READ_STALL
      16'hc040: return 96'h00000000_ffffffff_ffffffff; // CDP_RDMA.D_CYA
      16'hd000: return 96'h00000000_00030003_00000000; // CDP.S_STATUS
      16'hd004: return 96'h00000000_00010001_00000001; // CDP.S_POINTER
      16'hd008: return 96'h00000000_000303ff_000303ff; // CDP.S_LUT_ACCESS_CFG
      16'hd00c: return 96'h00000000_0000ffff_0000ffff; // CDP.S_LUT_ACCESS_DATA
      16'hd010: return 96'h00000000_00000071_00000071; // CDP.S_LUT_CFG
      16'hd014: return 96'h00000000_00ffffff_00ffffff; // CDP.S_LUT_INFO
      16'hd018: return 96'h00000000_ffffffff_ffffffff; // CDP.S_LUT_LE_START_LOW
      16'hd01c: return 96'h00000000_0000003f_0000003f; // CDP.S_LUT_LE_START_HIGH
      16'hd020: return 96'h00000000_ffffffff_ffffffff; // CDP.S_LUT_LE_END_LOW
      16'hd024: return 96'h00000000_0000003f_0000003f; // CDP.S_LUT_LE_END_HIGH
      16'hd028: return 96'h00000000_ffffffff_ffffffff; // CDP.S_LUT_LO_START_LOW
      16'hd02c: return 96'h00000000_0000003f_0000003f; // CDP.S_LUT_LO_START_HIGH
      16'hd030: return 96'h00000000_ffffffff_ffffffff; // CDP.S_LUT_LO_END_LOW
      16'hd034: return 96'h00000000_0000003f_0000003f; // CDP.S_LUT_LO_END_HIGH
      16'hd038: return 96'h00000000_ffffffff_ffffffff; // CDP.S_LUT_LE_SLOPE_SCALE
      16'hd03c: return 96'h00000000_000003ff_000003ff; // CDP.S_LUT_LE_SLOPE_SHIFT
      16'hd040: return 96'h00000000_ffffffff_ffffffff; // CDP.S_LUT_LO_SLOPE_SCALE
      16'hd044: return 96'h00000000_000003ff_000003ff; // CDP.S_LUT_LO_SLOPE_SHIFT
      16'hd048: return 96'h00000000_00000001_00000001; // CDP.D_OP_ENABLE
      16'hd04c: return 96'h00000000_00000003_00000003; // CDP.D_FUNC_BYPASS
      16'hd050: return 96'h00000000_ffffffff_ffffffff; // CDP.D_DST_BASE_ADDR_LOW
      16'hd054: return 96'h00000000_ffffffff_ffffffff; // CDP.D_DST_BASE_ADDR_HIGH
      16'hd058: return 96'h00000000_ffffffff_ffffffff; // CDP.D_DST_LINE_STRIDE
      16'hd05c: return 96'h00000000_ffffffff_ffffffff; // CDP.D_DST_SURFACE_STRIDE
      16'hd060: return 96'h00000000_00000001_00000001; // CDP.D_DST_DMA_CFG
      16'hd064: return 96'h00000000_00000001_00000000; // CDP.D_DST_COMPRESSION_EN
      16'hd068: return 96'h00000001_00000003_00000003; // CDP.D_DATA_FORMAT
      16'hd06c: return 96'h00000000_00000001_00000001; // CDP.D_NAN_FLUSH_TO_ZERO
      16'hd070: return 96'h00000000_00000003_00000003; // CDP.D_LRN_CFG
      16'hd074: return 96'h00000000_0000ffff_0000ffff; // CDP.D_DATIN_OFFSET
      16'hd078: return 96'h00000001_0000ffff_0000ffff; // CDP.D_DATIN_SCALE
      16'hd07c: return 96'h00000000_0000001f_0000001f; // CDP.D_DATIN_SHIFTER
      16'hd080: return 96'h00000000_ffffffff_ffffffff; // CDP.D_DATOUT_OFFSET
      16'hd084: return 96'h00000001_0000ffff_0000ffff; // CDP.D_DATOUT_SCALE
      16'hd088: return 96'h00000000_0000003f_0000003f; // CDP.D_DATOUT_SHIFTER
      16'hd08c: return 96'h00000000_ffffffff_00000000; // CDP.D_NAN_INPUT_NUM
      16'hd090: return 96'h00000000_ffffffff_00000000; // CDP.D_INF_INPUT_NUM
      16'hd094: return 96'h00000000_ffffffff_00000000; // CDP.D_NAN_OUTPUT_NUM
      16'hd098: return 96'h00000000_ffffffff_00000000; // CDP.D_OUT_SATURATION
      16'hd09c: return 96'h00000000_00000003_00000003; // CDP.D_PERF_ENABLE
      16'hd0a0: return 96'h00000000_ffffffff_00000000; // CDP.D_PERF_WRITE_STALL
      16'hd0a4: return 96'h00000000_ffffffff_00000000; // CDP.D_PERF_LUT_UFLOW
      16'hd0a8: return 96'h00000000_ffffffff_00000000; // CDP.D_PERF_LUT_OFLOW
      16'hd0ac: return 96'h00000000_ffffffff_00000000; // CDP.D_PERF_LUT_HYBRID
      16'hd0b0: return 96'h00000000_ffffffff_00000000; // CDP.D_PERF_LUT_LE_HIT
      16'hd0b4: return 96'h00000000_ffffffff_00000000; // CDP.D_PERF_LUT_LO_HIT
      16'hd0b8: return 96'h00000000_ffffffff_ffffffff; // CDP.D_CYA
      default:  return '0;
    endcase
  endfunction

  // Not every bench needs all of them.
  /* verilator lint_off UNUSEDPARAM */
  localparam logic [15:0] BaseCfgrom = 16'h0000;
  localparam int unsigned WordsCfgrom = 104;
  localparam logic [15:0] BaseGlb = 16'h1000;
  localparam int unsigned WordsGlb = 4;
  localparam int unsigned WordGlbSNvdlaHwVersion = 0;
  localparam int unsigned WordGlbSIntrMask = 1;
  localparam int unsigned WordGlbSIntrSet = 2;
  localparam int unsigned WordGlbSIntrStatus = 3;
  localparam logic [15:0] BaseMcif = 16'h2000;
  localparam int unsigned WordsMcif = 7;
  localparam logic [15:0] BaseCdma = 16'h3000;
  localparam int unsigned WordsCdma = 59;
  localparam int unsigned WordCdmaSStatus = 0;
  localparam int unsigned WordCdmaSPointer = 1;
  localparam int unsigned WordCdmaSArbiter = 2;
  localparam int unsigned WordCdmaSCbufFlushStatus = 3;
  localparam int unsigned WordCdmaDOpEnable = 4;
  localparam int unsigned WordCdmaDMiscCfg = 5;
  localparam int unsigned WordCdmaDDatainFormat = 6;
  localparam int unsigned WordCdmaDDatainSize0 = 7;
  localparam int unsigned WordCdmaDDatainSize1 = 8;
  localparam int unsigned WordCdmaDDatainSizeExt0 = 9;
  localparam int unsigned WordCdmaDPixelOffset = 10;
  localparam int unsigned WordCdmaDDainRamType = 11;
  localparam int unsigned WordCdmaDDainAddrHigh0 = 12;
  localparam int unsigned WordCdmaDDainAddrLow0 = 13;
  localparam int unsigned WordCdmaDDainAddrHigh1 = 14;
  localparam int unsigned WordCdmaDDainAddrLow1 = 15;
  localparam int unsigned WordCdmaDLineStride = 16;
  localparam int unsigned WordCdmaDLineUvStride = 17;
  localparam int unsigned WordCdmaDSurfStride = 18;
  localparam int unsigned WordCdmaDDainMap = 19;
  localparam int unsigned WordCdmaDReservedXCfg = 20;
  localparam int unsigned WordCdmaDReservedYCfg = 21;
  localparam int unsigned WordCdmaDBatchNumber = 22;
  localparam int unsigned WordCdmaDBatchStride = 23;
  localparam int unsigned WordCdmaDEntryPerSlice = 24;
  localparam int unsigned WordCdmaDFetchGrain = 25;
  localparam int unsigned WordCdmaDWeightFormat = 26;
  localparam int unsigned WordCdmaDWeightSize0 = 27;
  localparam int unsigned WordCdmaDWeightSize1 = 28;
  localparam int unsigned WordCdmaDWeightRamType = 29;
  localparam int unsigned WordCdmaDWeightAddrHigh = 30;
  localparam int unsigned WordCdmaDWeightAddrLow = 31;
  localparam int unsigned WordCdmaDWeightBytes = 32;
  localparam int unsigned WordCdmaDWgsAddrHigh = 33;
  localparam int unsigned WordCdmaDWgsAddrLow = 34;
  localparam int unsigned WordCdmaDWmbAddrHigh = 35;
  localparam int unsigned WordCdmaDWmbAddrLow = 36;
  localparam int unsigned WordCdmaDWmbBytes = 37;
  localparam int unsigned WordCdmaDMeanFormat = 38;
  localparam int unsigned WordCdmaDMeanGlobal0 = 39;
  localparam int unsigned WordCdmaDMeanGlobal1 = 40;
  localparam int unsigned WordCdmaDCvtCfg = 41;
  localparam int unsigned WordCdmaDCvtOffset = 42;
  localparam int unsigned WordCdmaDCvtScale = 43;
  localparam int unsigned WordCdmaDConvStride = 44;
  localparam int unsigned WordCdmaDZeroPadding = 45;
  localparam int unsigned WordCdmaDZeroPaddingValue = 46;
  localparam int unsigned WordCdmaDBank = 47;
  localparam int unsigned WordCdmaDNanFlushToZero = 48;
  localparam int unsigned WordCdmaDNanInputDataNum = 49;
  localparam int unsigned WordCdmaDNanInputWeightNum = 50;
  localparam int unsigned WordCdmaDInfInputDataNum = 51;
  localparam int unsigned WordCdmaDInfInputWeightNum = 52;
  localparam int unsigned WordCdmaDPerfEnable = 53;
  localparam int unsigned WordCdmaDPerfDatReadStall = 54;
  localparam int unsigned WordCdmaDPerfWtReadStall = 55;
  localparam int unsigned WordCdmaDPerfDatReadLatency = 56;
  localparam int unsigned WordCdmaDPerfWtReadLatency = 57;
  localparam int unsigned WordCdmaDCya = 58;
  localparam logic [15:0] BaseCsc = 16'h4000;
  localparam int unsigned WordsCsc = 26;
  localparam int unsigned WordCscSStatus = 0;
  localparam int unsigned WordCscSPointer = 1;
  localparam int unsigned WordCscDOpEnable = 2;
  localparam int unsigned WordCscDMiscCfg = 3;
  localparam int unsigned WordCscDDatainFormat = 4;
  localparam int unsigned WordCscDDatainSizeExt0 = 5;
  localparam int unsigned WordCscDDatainSizeExt1 = 6;
  localparam int unsigned WordCscDBatchNumber = 7;
  localparam int unsigned WordCscDPostYExtension = 8;
  localparam int unsigned WordCscDEntryPerSlice = 9;
  localparam int unsigned WordCscDWeightFormat = 10;
  localparam int unsigned WordCscDWeightSizeExt0 = 11;
  localparam int unsigned WordCscDWeightSizeExt1 = 12;
  localparam int unsigned WordCscDWeightBytes = 13;
  localparam int unsigned WordCscDWmbBytes = 14;
  localparam int unsigned WordCscDDataoutSize0 = 15;
  localparam int unsigned WordCscDDataoutSize1 = 16;
  localparam int unsigned WordCscDAtomics = 17;
  localparam int unsigned WordCscDRelease = 18;
  localparam int unsigned WordCscDConvStrideExt = 19;
  localparam int unsigned WordCscDDilationExt = 20;
  localparam int unsigned WordCscDZeroPadding = 21;
  localparam int unsigned WordCscDZeroPaddingValue = 22;
  localparam int unsigned WordCscDBank = 23;
  localparam int unsigned WordCscDPraCfg = 24;
  localparam int unsigned WordCscDCya = 25;
  localparam logic [15:0] BaseCmacA = 16'h5000;
  localparam int unsigned WordsCmacA = 4;
  localparam int unsigned WordCmacADOpEnable = 2;
  localparam logic [15:0] BaseCmacB = 16'h6000;
  localparam int unsigned WordsCmacB = 4;
  localparam int unsigned WordCmacBDOpEnable = 2;
  localparam logic [15:0] BaseCacc = 16'h7000;
  localparam int unsigned WordsCacc = 14;
  localparam int unsigned WordCaccSStatus = 0;
  localparam int unsigned WordCaccSPointer = 1;
  localparam int unsigned WordCaccDOpEnable = 2;
  localparam int unsigned WordCaccDMiscCfg = 3;
  localparam int unsigned WordCaccDDataoutSize0 = 4;
  localparam int unsigned WordCaccDDataoutSize1 = 5;
  localparam int unsigned WordCaccDDataoutAddr = 6;
  localparam int unsigned WordCaccDBatchNumber = 7;
  localparam int unsigned WordCaccDLineStride = 8;
  localparam int unsigned WordCaccDSurfStride = 9;
  localparam int unsigned WordCaccDDataoutMap = 10;
  localparam int unsigned WordCaccDClipCfg = 11;
  localparam int unsigned WordCaccDOutSaturation = 12;
  localparam int unsigned WordCaccDCya = 13;
  localparam logic [15:0] BaseSdpRdma = 16'h8000;
  localparam int unsigned WordsSdpRdma = 37;
  localparam int unsigned WordSdpRdmaSStatus = 0;
  localparam int unsigned WordSdpRdmaSPointer = 1;
  localparam int unsigned WordSdpRdmaDOpEnable = 2;
  localparam int unsigned WordSdpRdmaDDataCubeWidth = 3;
  localparam int unsigned WordSdpRdmaDDataCubeHeight = 4;
  localparam int unsigned WordSdpRdmaDDataCubeChannel = 5;
  localparam int unsigned WordSdpRdmaDSrcBaseAddrLow = 6;
  localparam int unsigned WordSdpRdmaDSrcBaseAddrHigh = 7;
  localparam int unsigned WordSdpRdmaDSrcLineStride = 8;
  localparam int unsigned WordSdpRdmaDSrcSurfaceStride = 9;
  localparam int unsigned WordSdpRdmaDBrdmaCfg = 10;
  localparam int unsigned WordSdpRdmaDBsBaseAddrLow = 11;
  localparam int unsigned WordSdpRdmaDBsBaseAddrHigh = 12;
  localparam int unsigned WordSdpRdmaDBsLineStride = 13;
  localparam int unsigned WordSdpRdmaDBsSurfaceStride = 14;
  localparam int unsigned WordSdpRdmaDBsBatchStride = 15;
  localparam int unsigned WordSdpRdmaDNrdmaCfg = 16;
  localparam int unsigned WordSdpRdmaDBnBaseAddrLow = 17;
  localparam int unsigned WordSdpRdmaDBnBaseAddrHigh = 18;
  localparam int unsigned WordSdpRdmaDBnLineStride = 19;
  localparam int unsigned WordSdpRdmaDBnSurfaceStride = 20;
  localparam int unsigned WordSdpRdmaDBnBatchStride = 21;
  localparam int unsigned WordSdpRdmaDErdmaCfg = 22;
  localparam int unsigned WordSdpRdmaDEwBaseAddrLow = 23;
  localparam int unsigned WordSdpRdmaDEwBaseAddrHigh = 24;
  localparam int unsigned WordSdpRdmaDEwLineStride = 25;
  localparam int unsigned WordSdpRdmaDEwSurfaceStride = 26;
  localparam int unsigned WordSdpRdmaDEwBatchStride = 27;
  localparam int unsigned WordSdpRdmaDFeatureModeCfg = 28;
  localparam int unsigned WordSdpRdmaDSrcDmaCfg = 29;
  localparam int unsigned WordSdpRdmaDStatusNanInputNum = 30;
  localparam int unsigned WordSdpRdmaDStatusInfInputNum = 31;
  localparam int unsigned WordSdpRdmaDPerfEnable = 32;
  localparam int unsigned WordSdpRdmaDPerfMrdmaReadStall = 33;
  localparam int unsigned WordSdpRdmaDPerfBrdmaReadStall = 34;
  localparam int unsigned WordSdpRdmaDPerfNrdmaReadStall = 35;
  localparam int unsigned WordSdpRdmaDPerfErdmaReadStall = 36;
  localparam logic [15:0] BaseSdp = 16'h9000;
  localparam int unsigned WordsSdp = 63;
  localparam int unsigned WordSdpSStatus = 0;
  localparam int unsigned WordSdpSPointer = 1;
  localparam int unsigned WordSdpSLutAccessCfg = 2;
  localparam int unsigned WordSdpSLutAccessData = 3;
  localparam int unsigned WordSdpSLutCfg = 4;
  localparam int unsigned WordSdpSLutInfo = 5;
  localparam int unsigned WordSdpSLutLeStart = 6;
  localparam int unsigned WordSdpSLutLeEnd = 7;
  localparam int unsigned WordSdpSLutLoStart = 8;
  localparam int unsigned WordSdpSLutLoEnd = 9;
  localparam int unsigned WordSdpSLutLeSlopeScale = 10;
  localparam int unsigned WordSdpSLutLeSlopeShift = 11;
  localparam int unsigned WordSdpSLutLoSlopeScale = 12;
  localparam int unsigned WordSdpSLutLoSlopeShift = 13;
  localparam int unsigned WordSdpDOpEnable = 14;
  localparam int unsigned WordSdpDDataCubeWidth = 15;
  localparam int unsigned WordSdpDDataCubeHeight = 16;
  localparam int unsigned WordSdpDDataCubeChannel = 17;
  localparam int unsigned WordSdpDDstBaseAddrLow = 18;
  localparam int unsigned WordSdpDDstBaseAddrHigh = 19;
  localparam int unsigned WordSdpDDstLineStride = 20;
  localparam int unsigned WordSdpDDstSurfaceStride = 21;
  localparam int unsigned WordSdpDDpBsCfg = 22;
  localparam int unsigned WordSdpDDpBsAluCfg = 23;
  localparam int unsigned WordSdpDDpBsAluSrcValue = 24;
  localparam int unsigned WordSdpDDpBsMulCfg = 25;
  localparam int unsigned WordSdpDDpBsMulSrcValue = 26;
  localparam int unsigned WordSdpDDpBnCfg = 27;
  localparam int unsigned WordSdpDDpBnAluCfg = 28;
  localparam int unsigned WordSdpDDpBnAluSrcValue = 29;
  localparam int unsigned WordSdpDDpBnMulCfg = 30;
  localparam int unsigned WordSdpDDpBnMulSrcValue = 31;
  localparam int unsigned WordSdpDDpEwCfg = 32;
  localparam int unsigned WordSdpDDpEwAluCfg = 33;
  localparam int unsigned WordSdpDDpEwAluSrcValue = 34;
  localparam int unsigned WordSdpDDpEwAluCvtOffsetValue = 35;
  localparam int unsigned WordSdpDDpEwAluCvtScaleValue = 36;
  localparam int unsigned WordSdpDDpEwAluCvtTruncateValue = 37;
  localparam int unsigned WordSdpDDpEwMulCfg = 38;
  localparam int unsigned WordSdpDDpEwMulSrcValue = 39;
  localparam int unsigned WordSdpDDpEwMulCvtOffsetValue = 40;
  localparam int unsigned WordSdpDDpEwMulCvtScaleValue = 41;
  localparam int unsigned WordSdpDDpEwMulCvtTruncateValue = 42;
  localparam int unsigned WordSdpDDpEwTruncateValue = 43;
  localparam int unsigned WordSdpDFeatureModeCfg = 44;
  localparam int unsigned WordSdpDDstDmaCfg = 45;
  localparam int unsigned WordSdpDDstBatchStride = 46;
  localparam int unsigned WordSdpDDataFormat = 47;
  localparam int unsigned WordSdpDCvtOffset = 48;
  localparam int unsigned WordSdpDCvtScale = 49;
  localparam int unsigned WordSdpDCvtShift = 50;
  localparam int unsigned WordSdpDStatus = 51;
  localparam int unsigned WordSdpDStatusNanInputNum = 52;
  localparam int unsigned WordSdpDStatusInfInputNum = 53;
  localparam int unsigned WordSdpDStatusNanOutputNum = 54;
  localparam int unsigned WordSdpDPerfEnable = 55;
  localparam int unsigned WordSdpDPerfWdmaWriteStall = 56;
  localparam int unsigned WordSdpDPerfLutUflow = 57;
  localparam int unsigned WordSdpDPerfLutOflow = 58;
  localparam int unsigned WordSdpDPerfOutSaturation = 59;
  localparam int unsigned WordSdpDPerfLutHybrid = 60;
  localparam int unsigned WordSdpDPerfLutLeHit = 61;
  localparam int unsigned WordSdpDPerfLutLoHit = 62;
  localparam logic [15:0] BasePdpRdma = 16'ha000;
  localparam int unsigned WordsPdpRdma = 20;
  localparam int unsigned WordPdpRdmaSStatus = 0;
  localparam int unsigned WordPdpRdmaSPointer = 1;
  localparam int unsigned WordPdpRdmaDOpEnable = 2;
  localparam int unsigned WordPdpRdmaDDataCubeInWidth = 3;
  localparam int unsigned WordPdpRdmaDDataCubeInHeight = 4;
  localparam int unsigned WordPdpRdmaDDataCubeInChannel = 5;
  localparam int unsigned WordPdpRdmaDFlyingMode = 6;
  localparam int unsigned WordPdpRdmaDSrcBaseAddrLow = 7;
  localparam int unsigned WordPdpRdmaDSrcBaseAddrHigh = 8;
  localparam int unsigned WordPdpRdmaDSrcLineStride = 9;
  localparam int unsigned WordPdpRdmaDSrcSurfaceStride = 10;
  localparam int unsigned WordPdpRdmaDSrcRamCfg = 11;
  localparam int unsigned WordPdpRdmaDDataFormat = 12;
  localparam int unsigned WordPdpRdmaDOperationModeCfg = 13;
  localparam int unsigned WordPdpRdmaDPoolingKernelCfg = 14;
  localparam int unsigned WordPdpRdmaDPoolingPaddingCfg = 15;
  localparam int unsigned WordPdpRdmaDPartialWidthIn = 16;
  localparam int unsigned WordPdpRdmaDPerfEnable = 17;
  localparam int unsigned WordPdpRdmaDPerfReadStall = 18;
  localparam int unsigned WordPdpRdmaDCya = 19;
  localparam logic [15:0] BasePdp = 16'hb000;
  localparam int unsigned WordsPdp = 40;
  localparam int unsigned WordPdpSStatus = 0;
  localparam int unsigned WordPdpSPointer = 1;
  localparam int unsigned WordPdpDOpEnable = 2;
  localparam int unsigned WordPdpDDataCubeInWidth = 3;
  localparam int unsigned WordPdpDDataCubeInHeight = 4;
  localparam int unsigned WordPdpDDataCubeInChannel = 5;
  localparam int unsigned WordPdpDDataCubeOutWidth = 6;
  localparam int unsigned WordPdpDDataCubeOutHeight = 7;
  localparam int unsigned WordPdpDDataCubeOutChannel = 8;
  localparam int unsigned WordPdpDOperationModeCfg = 9;
  localparam int unsigned WordPdpDNanFlushToZero = 10;
  localparam int unsigned WordPdpDPartialWidthIn = 11;
  localparam int unsigned WordPdpDPartialWidthOut = 12;
  localparam int unsigned WordPdpDPoolingKernelCfg = 13;
  localparam int unsigned WordPdpDRecipKernelWidth = 14;
  localparam int unsigned WordPdpDRecipKernelHeight = 15;
  localparam int unsigned WordPdpDPoolingPaddingCfg = 16;
  localparam int unsigned WordPdpDPoolingPaddingValue1Cfg = 17;
  localparam int unsigned WordPdpDPoolingPaddingValue2Cfg = 18;
  localparam int unsigned WordPdpDPoolingPaddingValue3Cfg = 19;
  localparam int unsigned WordPdpDPoolingPaddingValue4Cfg = 20;
  localparam int unsigned WordPdpDPoolingPaddingValue5Cfg = 21;
  localparam int unsigned WordPdpDPoolingPaddingValue6Cfg = 22;
  localparam int unsigned WordPdpDPoolingPaddingValue7Cfg = 23;
  localparam int unsigned WordPdpDSrcBaseAddrLow = 24;
  localparam int unsigned WordPdpDSrcBaseAddrHigh = 25;
  localparam int unsigned WordPdpDSrcLineStride = 26;
  localparam int unsigned WordPdpDSrcSurfaceStride = 27;
  localparam int unsigned WordPdpDDstBaseAddrLow = 28;
  localparam int unsigned WordPdpDDstBaseAddrHigh = 29;
  localparam int unsigned WordPdpDDstLineStride = 30;
  localparam int unsigned WordPdpDDstSurfaceStride = 31;
  localparam int unsigned WordPdpDDstRamCfg = 32;
  localparam int unsigned WordPdpDDataFormat = 33;
  localparam int unsigned WordPdpDInfInputNum = 34;
  localparam int unsigned WordPdpDNanInputNum = 35;
  localparam int unsigned WordPdpDNanOutputNum = 36;
  localparam int unsigned WordPdpDPerfEnable = 37;
  localparam int unsigned WordPdpDPerfWriteStall = 38;
  localparam int unsigned WordPdpDCya = 39;
  localparam logic [15:0] BaseCdpRdma = 16'hc000;
  localparam int unsigned WordsCdpRdma = 17;
  localparam int unsigned WordCdpRdmaSStatus = 0;
  localparam int unsigned WordCdpRdmaSPointer = 1;
  localparam int unsigned WordCdpRdmaDOpEnable = 2;
  localparam int unsigned WordCdpRdmaDDataCubeWidth = 3;
  localparam int unsigned WordCdpRdmaDDataCubeHeight = 4;
  localparam int unsigned WordCdpRdmaDDataCubeChannel = 5;
  localparam int unsigned WordCdpRdmaDSrcBaseAddrLow = 6;
  localparam int unsigned WordCdpRdmaDSrcBaseAddrHigh = 7;
  localparam int unsigned WordCdpRdmaDSrcLineStride = 8;
  localparam int unsigned WordCdpRdmaDSrcSurfaceStride = 9;
  localparam int unsigned WordCdpRdmaDSrcDmaCfg = 10;
  localparam int unsigned WordCdpRdmaDSrcCompressionEn = 11;
  localparam int unsigned WordCdpRdmaDOperationMode = 12;
  localparam int unsigned WordCdpRdmaDDataFormat = 13;
  localparam int unsigned WordCdpRdmaDPerfEnable = 14;
  localparam int unsigned WordCdpRdmaDPerfReadStall = 15;
  localparam int unsigned WordCdpRdmaDCya = 16;
  localparam logic [15:0] BaseCdp = 16'hd000;
  localparam int unsigned WordsCdp = 47;
  localparam int unsigned WordCdpSStatus = 0;
  localparam int unsigned WordCdpSPointer = 1;
  localparam int unsigned WordCdpSLutAccessCfg = 2;
  localparam int unsigned WordCdpSLutAccessData = 3;
  localparam int unsigned WordCdpSLutCfg = 4;
  localparam int unsigned WordCdpSLutInfo = 5;
  localparam int unsigned WordCdpSLutLeStartLow = 6;
  localparam int unsigned WordCdpSLutLeStartHigh = 7;
  localparam int unsigned WordCdpSLutLeEndLow = 8;
  localparam int unsigned WordCdpSLutLeEndHigh = 9;
  localparam int unsigned WordCdpSLutLoStartLow = 10;
  localparam int unsigned WordCdpSLutLoStartHigh = 11;
  localparam int unsigned WordCdpSLutLoEndLow = 12;
  localparam int unsigned WordCdpSLutLoEndHigh = 13;
  localparam int unsigned WordCdpSLutLeSlopeScale = 14;
  localparam int unsigned WordCdpSLutLeSlopeShift = 15;
  localparam int unsigned WordCdpSLutLoSlopeScale = 16;
  localparam int unsigned WordCdpSLutLoSlopeShift = 17;
  localparam int unsigned WordCdpDOpEnable = 18;
  localparam int unsigned WordCdpDFuncBypass = 19;
  localparam int unsigned WordCdpDDstBaseAddrLow = 20;
  localparam int unsigned WordCdpDDstBaseAddrHigh = 21;
  localparam int unsigned WordCdpDDstLineStride = 22;
  localparam int unsigned WordCdpDDstSurfaceStride = 23;
  localparam int unsigned WordCdpDDstDmaCfg = 24;
  localparam int unsigned WordCdpDDstCompressionEn = 25;
  localparam int unsigned WordCdpDDataFormat = 26;
  localparam int unsigned WordCdpDNanFlushToZero = 27;
  localparam int unsigned WordCdpDLrnCfg = 28;
  localparam int unsigned WordCdpDDatinOffset = 29;
  localparam int unsigned WordCdpDDatinScale = 30;
  localparam int unsigned WordCdpDDatinShifter = 31;
  localparam int unsigned WordCdpDDatoutOffset = 32;
  localparam int unsigned WordCdpDDatoutScale = 33;
  localparam int unsigned WordCdpDDatoutShifter = 34;
  localparam int unsigned WordCdpDNanInputNum = 35;
  localparam int unsigned WordCdpDInfInputNum = 36;
  localparam int unsigned WordCdpDNanOutputNum = 37;
  localparam int unsigned WordCdpDOutSaturation = 38;
  localparam int unsigned WordCdpDPerfEnable = 39;
  localparam int unsigned WordCdpDPerfWriteStall = 40;
  localparam int unsigned WordCdpDPerfLutUflow = 41;
  localparam int unsigned WordCdpDPerfLutOflow = 42;
  localparam int unsigned WordCdpDPerfLutHybrid = 43;
  localparam int unsigned WordCdpDPerfLutLeHit = 44;
  localparam int unsigned WordCdpDPerfLutLoHit = 45;
  localparam int unsigned WordCdpDCya = 46;
  /* verilator lint_on UNUSEDPARAM */

endpackage
