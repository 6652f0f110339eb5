// SPDX-License-Identifier: Apache-2.0
//
// nvdla_pkg - sizes, and the settings of the engines as they come out of the registers.
//
// docs/nvdla-hardware.md is the contract.

package nvdla_pkg;

  // atoms of an output line that are made and written together
  localparam int unsigned ChunkAtoms = 16;
  localparam int unsigned MaxWrites  = 8;   // writes without response, of one engine

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
    logic            to_memory;
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

endpackage
