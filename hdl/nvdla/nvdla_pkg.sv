// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pkg - sizes, and the settings of the engines as they come out of the registers.
//
// docs/nvdla-hardware.md, docs/nvdla-fly.md, docs/nvdla-convolution.md and docs/nvdla-cdp.md are
// the contract.

package nvdla_pkg;

  // atoms of an output line that are made and written together
  localparam int unsigned ChunkAtoms = 16;
  localparam int unsigned MaxWrites  = 8;   // writes without response, of one engine
  localparam int unsigned FlyRows    = 8;   // whole lines between SDP and PDP on the fly

  // IDs on the DBB.
  localparam int unsigned SdpId  = 0;
  localparam int unsigned PdpId  = 1;
  localparam int unsigned ConvId = 2;       // data; weights behind it
  localparam int unsigned CdpId  = 4;
  localparam int unsigned Readers = 5;
  localparam int unsigned Writers = 3;

  // Who writes, in the order of the IDs.
  localparam int unsigned WriterIds [Writers] = '{SdpId, PdpId, CdpId};

  // An access of the register bus to one block.
  typedef struct packed {
    logic        write;
    logic [9:0]  word;
    logic [31:0] wdata;
  } access_t;

  // A burst that an engine asks for.
  typedef struct packed {
    logic        ask;
    logic [31:0] addr;
    logic [3:0]  len;      // beats less one
  } burst_t;

  // What an engine that writes hears of the DBB.
  typedef struct packed {
    logic grant;
    logic pop;             // the beat that it shows is taken
    logic quiet;           // none of its writes is without response
  } written_t;

  // An address on the DBB.
  typedef struct packed {
    logic        valid;
    logic [7:0]  id;
    logic [3:0]  len;
    logic [31:0] addr;
  } address_t;

  // A cube in memory; sizes are one less than meant.
  typedef struct packed {
    logic [31:0] base;
    logic [31:0] line_stride;
    logic [31:0] surface_stride;
  } cube_t;

  typedef struct packed {
    logic [12:0] width;
    logic [12:0] height;
    logic [9:0]  surfaces;
  } size_t;

  // Where the operands of an SDP unit come from.
  typedef struct packed {
    logic       read;     // they are read from memory
    logic       point;    // one group a point, else one a surface
    logic       wide;     // two bytes each
    logic       both;     // ALU and MUL operands in turn
    logic       alu;      // the ALU operand is there
    logic       mul;      // the MUL operand is there
    cube_t      cube;
  } operands_t;

  typedef struct packed {
    logic        bypass;
    logic        alu_bypass;
    logic        alu_memory;
    logic [1:0]  alu_algo;
    logic [5:0]  alu_shift;
    logic [15:0] alu_operand;
    logic        mul_bypass;
    logic        mul_memory;
    logic        mul_prelu;
    logic [5:0]  mul_shift;
    logic [15:0] mul_operand;
    logic        relu_bypass;
  } unit_t;

  typedef struct packed {
    logic [31:0] offset;
    logic [15:0] scale;
    logic [5:0]  shift;
  } converter_t;

  typedef struct packed {
    logic            flying;
    logic            to_pdp;
    size_t           size;
    cube_t           source;
    cube_t           target;
    operands_t [1:0] operands;
    unit_t     [1:0] unit;
    converter_t      converter;
  } sdp_t;

  typedef struct packed {
    logic             from_memory;
    size_t            in;
    size_t            out;
    cube_t            source;
    cube_t            target;
    logic [1:0]       method;
    logic [2:0]       kernel_w;  // one less than meant
    logic [2:0]       kernel_h;
    logic [3:0]       stride_w;
    logic [3:0]       stride_h;
    logic [2:0]       pad_left;
    logic [2:0]       pad_top;
    logic [7:0][13:0] pad_value;
    logic [16:0]      recip_w;
    logic [16:0]      recip_h;
  } pdp_t;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // CDP: docs/nvdla-cdp.md.
  //////////////////////////////////////////////////////////////////////////////////////////////////

  localparam int unsigned CdpSlots    = 4;   // chunks of converted values
  localparam int unsigned CdpPipeline = 20;  // edges from a step to the write slot
  localparam int unsigned CdpReach    = 4;   // neighbours of a channel on either side, at most
  localparam int unsigned LeLast      = 64;  // last entries of the tables
  localparam int unsigned LoLast      = 256;

  typedef logic signed [8:0] value_t;        // a converted element

  // Where a converted atom goes.
  typedef struct packed {
    logic [$clog2(CdpSlots)-1:0]   slot;
    logic [$clog2(ChunkAtoms)-1:0] column;
  } place_t;

  // A chunk in its slot.
  typedef struct packed {
    logic [4:0] atoms;
    logic       first;                // surface
    logic       last;
  } chunk_t;

  typedef struct packed {
    logic        exponential;
    logic [37:0] start;
    logic [37:0] stop;
    logic [5:0]  select;
    logic [7:0]  offset;
    logic [15:0] under_scale;
    logic [15:0] over_scale;
    logic [4:0]  under_shift;
    logic [4:0]  over_shift;
  } cdp_table_t;

  // Where a sum falls in a table.
  typedef struct packed {
    logic        below;
    logic        above;
    logic [8:0]  entry;
    logic [15:0] fraction;
    logic [31:0] beyond;              // how far out it is, signed
  } index_t;

  typedef struct packed {
    size_t       size;
    logic [2:0]  last_lanes;          // the last lane of the last surface that exists
    cube_t       source;
    cube_t       target;
    logic [1:0]  reach;               // one less than meant
    logic        sqsum_bypass;
    logic        mul_bypass;
    logic [7:0]  in_offset;
    logic [15:0] in_scale;
    logic [4:0]  in_shift;
    logic [24:0] out_offset;
    logic [15:0] out_scale;
    logic [5:0]  out_shift;
    logic        uflow_lo;
    logic        oflow_lo;
    logic        hybrid_lo;
    cdp_table_t  le;
    cdp_table_t  lo;
  } cdp_t;

  //////////////////////////////////////////////////////////////////////////////////////////////////
  // Convolution: docs/nvdla-convolution.md. Sizes are meant as they are, not one less.
  //////////////////////////////////////////////////////////////////////////////////////////////////

  localparam int unsigned Banks       = 32;
  localparam int unsigned BankEntries = 512;
  localparam int unsigned WeightChunk = 16;   // beats of a request, at most
  localparam int unsigned StripeAtoms = 16;   // the last stripe has up to twice that, less one
  localparam int unsigned Delivery    = 64;   // atoms of the FIFO to SDP

  typedef logic [$clog2(Banks*BankEntries)-1:0] entry_t;    // of CBUF, or of a ring
  typedef logic [$clog2(Banks*BankEntries):0]   entries_t;  // how many

  // Banks of both rings.
  typedef struct packed {
    logic [5:0] data;
    logic [5:0] weights;
  } banks_t;

  // What a fetch takes from CDMA's registers.
  typedef struct packed {
    logic             reuse_data;
    logic             reuse_weights;
    logic             skip_data;
    logic             skip_weights;
    logic             pixels;
    logic [5:0]       form;           // of pixels
    logic             is_signed;      // their bytes
    logic [13:0]      width;
    logic [13:0]      height;
    logic [13:0]      channels;
    logic [4:0]       first_pixel;
    logic [31:0]      plane_0;
    logic [31:0]      plane_1;
    logic [31:0]      line_stride;
    logic [31:0]      line_stride_1;
    logic [31:0]      surface_stride;
    entries_t         slice;          // entries
    logic [31:0]      weights;
    logic [29:0]      weight_entries;
    logic             means;
    logic [3:0][15:0] mean;
    logic             convert;
    logic [5:0]       truncate;
    logic [15:0]      offset;
    logic [15:0]      scale;
    logic [4:0]       pad_left;
    logic [7:0]       pad_value;
    banks_t           banks;
  } fetch_t;

  // What a computation takes from the registers of CSC and CACC.
  typedef struct packed {
    logic        skip_data;
    logic        skip_weights;
    logic        pixels;
    logic [13:0] width;
    logic [13:0] height;
    logic [2:0]  pixel_channels;
    logic [2:0]  joined;              // rows: 1, 2 or 4
    logic [5:0]  columns;
    logic [5:0]  rows;
    logic [13:0] depth;
    logic [13:0] kernels;
    logic [13:0] out_width;
    logic [13:0] out_height;
    logic [12:0] release_slices;
    logic [3:0]  stride_x;
    logic [3:0]  stride_y;
    logic [5:0]  dilation_x;
    logic [5:0]  dilation_y;
    logic [4:0]  pad_left;
    logic [4:0]  pad_top;
    logic [7:0]  pad_value;
    entries_t    slice;               // entries
    logic [4:0]  truncate;
  } compute_t;

  // What a computation must know of its fetch.
  typedef struct packed {
    logic        data_kept;
    logic        weights_reused;
    logic [29:0] weight_entries;
    logic [15:0] first_byte;          // of a line's pixels, and that behind them
    logic [15:0] end_byte;
    logic [7:0]  pad_value;           // of pixels
  } link_t;

  // Bytes on their way from the DBB into the data ring: byte k goes to byte `offset` + k of two
  // neighbouring entries.
  typedef struct packed {
    logic            valid;
    logic            last;            // of its slice
    entry_t          lower;
    entry_t          upper;
    logic [2:0]      offset;
    logic [7:0]      enable;
    logic [7:0][1:0] channel;
    logic [7:0][7:0] data;
  } load_t;

  // A block of weights, and the stripe that it works on.
  typedef struct packed {
    logic [2:0]  first_byte;          // in its first entry
    logic [3:0]  kernel_bytes;
    logic [3:0]  kernels;
    logic [9:0]  channel_block;
    logic [10:0] row;                 // with dilation
    logic [10:0] column;
    logic [2:0]  passes;
    logic        first;               // of the stripe
    logic        last;
    logic [4:0]  atoms;
    logic [12:0] x;                   // of the stripe's first atom
    logic [12:0] y;
    logic [13:0] slices;              // that the stripe needs
  } block_t;

  // What becomes of the products of a step.
  typedef struct packed {
    logic       valid;
    logic [4:0] atom;                 // of the stripe
    logic       first;                // the sum begins
    logic       last;                 // the sum is complete
  } step_t;

  // Where the next entries of a ring are.
  function automatic entry_t wrap(input entries_t at, input entries_t size);
    return at >= size ? entry_t'(at - size) : entry_t'(at);
  endfunction

endpackage
