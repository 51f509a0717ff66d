// The one list of fields: a macro, because the enumeration FieldId and the table of fields() are made of it.
// An entry: its name, the table of the native file, the key there, the member of Setup, then by type
//   INTEGER: minimum, maximum, unit, what it means;  BOOLEAN: what it means;
//   CHOICE: the member's type, the names of its values, what it means.
#pragma once

// clang-format off
// One kind of layers without softmax attention: three tables have the same keys.
#define SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, prefix, table, at, what_it_is, which_layers) \
  CHOICE(prefix, table, "kind", model.mixers[at].kind, MixerKind, mixer_names, what_it_is) \
  INTEGER(prefix##_layers, table, "layers", model.mixers[at].layers, 0, max_layers, "layers", which_layers) \
  INTEGER(prefix##_key_heads, table, "num_key_heads", model.mixers[at].key_heads, 0, largest_width, "heads", "query and key heads (SSM: groups)") \
  INTEGER(prefix##_value_heads, table, "num_value_heads", model.mixers[at].value_heads, 0, largest_width, "heads", "value heads (SSM: heads)") \
  INTEGER(prefix##_key_dim, table, "key_head_dim", model.mixers[at].key_dim, 0, largest_width, "elements", "head dimension of keys (SSM: state size)") \
  INTEGER(prefix##_value_dim, table, "value_head_dim", model.mixers[at].value_dim, 0, largest_width, "elements", "head dimension of values") \
  INTEGER(prefix##_conv_kernel, table, "conv_kernel", model.mixers[at].conv_kernel, 0, 1024, "taps", "taps of its causal convolution; 0 for none") \
  INTEGER(prefix##_chunk, table, "chunk_size", model.mixers[at].chunk, 0, largest_length, "tokens", "tokens per chunk of the chunked scan") \
  INTEGER(prefix##_gate_rank, table, "gate_rank", model.mixers[at].gate_rank, 0, largest_width, "elements", "rank of its low-rank gates (Mamba: of the time step); 0 for none") \
  BOOLEAN(prefix##_bias, table, "bias", model.mixers[at].bias, "its projections have a bias") \
  BOOLEAN(prefix##_parallel, table, "parallel", model.mixers[at].parallel, "it runs in parallel to attention, in the same layers (Falcon-H1, Hymba)") \
  BOOLEAN(prefix##_joined, table, "joined", model.mixers[at].joined, "attention and mixer share one output projection, of the mean of both (Hymba)")

#define SHAPELINT_FIELDS(INTEGER, BOOLEAN, CHOICE) \
  INTEGER(hidden_size, "model", "hidden_size", model.hidden_size, 1, largest_width, "elements", "width of the residual stream") \
  INTEGER(num_layers, "model", "num_layers", model.num_layers, 1, max_layers, "layers", "layers, or blocks of a hybrid") \
  INTEGER(num_attention_heads, "model", "num_attention_heads", model.num_attention_heads, 1, largest_width, "heads", "query heads") \
  INTEGER(num_key_value_heads, "model", "num_key_value_heads", model.num_key_value_heads, 1, largest_width, "heads", "KV heads [default: num_attention_heads]") \
  INTEGER(head_dim, "model", "head_dim", model.head_dim, 1, largest_width, "elements", "head dimension [default: hidden_size / num_attention_heads]") \
  INTEGER(value_head_dim, "model", "value_head_dim", model.value_head_dim, 1, largest_width, "elements", "head dimension of V [default: head_dim]") \
  INTEGER(intermediate_size, "model", "intermediate_size", model.intermediate_size, 1, largest_width, "elements", "intermediate (FFN) size of the MLP") \
  BOOLEAN(mlp_gated, "model", "mlp_gated", model.mlp_gated, "the MLP has gate and up projections (SwiGLU, GeGLU)") \
  INTEGER(vocab_size, "model", "vocab_size", model.vocab_size, 1, largest_vocabulary, "rows", "size of the vocabulary") \
  INTEGER(vocab_padding_multiple, "model", "vocab_padding_multiple", model.vocab_padding_multiple, 1, largest_vocabulary, "rows", "the framework pads the vocabulary to a multiple of this times `tensor`; 1 for none") \
  BOOLEAN(tie_word_embeddings, "model", "tie_word_embeddings", model.tie_word_embeddings, "the LM head shares the weights of the embedding") \
  BOOLEAN(parallel_block, "model", "parallel_block", model.parallel_block, "attention and MLP read the same input (GPT-J, Falcon)") \
  BOOLEAN(causal, "model", "causal", model.causal, "each token sees only those before it") \
  INTEGER(layers_without_attention, "model", "layers_without_attention", model.layers_without_attention, 0, max_layers, "layers", "layers of a hybrid without softmax attention: `[model.mixer]` is their token mixer; layers beyond its number have none") \
  INTEGER(layers_without_mlp, "model", "layers_without_mlp", model.layers_without_mlp, 0, max_layers, "layers", "layers of a hybrid that have neither an MLP nor experts") \
  INTEGER(mtp_layers, "model", "mtp_layers", model.mtp_layers, 0, 64, "layers", "layers of multi-token prediction (DeepSeek-V3)") \
  INTEGER(residual_streams, "model", "residual_streams", model.residual_streams, 1, 64, "streams", "copies of the residual stream; 1 for an ordinary one") \
  CHOICE(residual_mixing, "model", "residual_mixing", model.residual_mixing, ResidualMixing, residual_mixing_names, "how several residual streams are mixed: hyper-connections (DeepSeek-V4), or AltUp (Gemma 3n)") \
  INTEGER(laurel_rank, "model", "laurel_rank", model.laurel_rank, 0, largest_width, "elements", "rank of the low-rank product in addition to each attention (LAuReL, Gemma 3n); 0 for none") \
  BOOLEAN(cross_attention, "model", "cross_attention", model.cross_attention, "each layer also attends to the output of an encoder (T5, BART, Whisper)") \
  INTEGER(shared_key_value_layers, "model", "shared_key_value_layers", model.shared_key_value_layers, 0, max_layers, "layers", "layers whose attention reads K and V of an earlier layer (CLA, YOCO)") \
  BOOLEAN(shared_key_value_weights, "model", "shared_key_value_weights", model.shared_key_value_weights, "these layers keep K and V projections that are not used (Gemma 3n)") \
  INTEGER(mlps_per_layer, "model", "mlps_per_layer", model.mlps_per_layer, 1, 4, "MLPs", "MLPs per layer: 2 in a conformer, one before attention and one after it") \
  INTEGER(convolution_kernel, "model", "convolution_kernel", model.convolution_kernel, 0, 1024, "taps", "taps of the depthwise convolution module in each layer with attention (Conformer); 0 for none") \
  INTEGER(layer_embedding_size, "model", "layer_embedding_size", model.layer_embedding_size, 0, largest_width, "elements", "elements of the embedding that each layer reads in addition to the residual stream (Gemma 3n, Gemma 4); 0 for none") \
  INTEGER(layer_embedding_rows, "model", "layer_embedding_rows", model.layer_embedding_rows, 0, largest_vocabulary, "rows", "rows of the table of these embeddings [default: vocab_size]") \
  BOOLEAN(relative_positions, "model", "relative_positions", model.relative_positions, "attention scores add a GEMM of queries and embedded distances (Transformer-XL, Conformer)") \
  CHOICE(norm, "model", "norm", model.norm, Norm, norm_names, "kind of normalization") \
  BOOLEAN(norm_bias, "model", "norm_bias", model.norm_bias, "layer norms have a bias vector") \
  BOOLEAN(qkv_bias, "model", "qkv_bias", model.qkv_bias, "query, key and value projections have a bias") \
  BOOLEAN(attention_output_bias, "model", "attention_output_bias", model.attention_output_bias, "attention's output projection has a bias") \
  BOOLEAN(mlp_bias, "model", "mlp_bias", model.mlp_bias, "the MLP's projections have a bias") \
  BOOLEAN(qk_norm, "model", "qk_norm", model.qk_norm, "queries and keys are normalized per head (see qk_norm_whole)") \
  BOOLEAN(qk_norm_whole, "model", "qk_norm_whole", model.qk_norm_whole, "qk_norm normalizes over all heads together (OLMo 2, MiniMax-M2), which adds an all-reduce with tensor parallelism") \
  BOOLEAN(attention_gate, "model", "attention_gate", model.attention_gate, "the attention output is gated by a projection as wide as the queries (Qwen3-Next)") \
  INTEGER(attention_gate_rank, "model", "attention_gate_rank", model.attention_gate_rank, 0, largest_width, "elements", "rank of the gate projection if it is low-rank (MoBA in flash-linear-attention); 0 for one GEMM") \
  INTEGER(learned_positions, "model", "learned_positions", model.learned_positions, 0, largest_length, "rows", "rows of a learned position table; 0 for RoPE and similar") \
  INTEGER(max_positions, "model", "max_positions", model.max_positions, 0, largest_length, "tokens", "maximum sequence length of the model (max_position_embeddings); 0 if unknown") \
  INTEGER(norms_per_layer, "model", "norms_per_layer", model.norms_per_layer, 0, 16, "norms", "norms over hidden_size in each layer") \
  INTEGER(token_types, "model", "token_types", model.token_types, 0, 1024, "rows", "rows of a token-type table (BERT)") \
  BOOLEAN(final_norm, "model", "final_norm", model.final_norm, "a norm after the last layer") \
  BOOLEAN(embedding_norm, "model", "embedding_norm", model.embedding_norm, "a norm after the embedding") \
  BOOLEAN(pooler, "model", "pooler", model.pooler, "a dense layer over the first token (BERT)") \
  INTEGER(tower_parameters, "model", "tower_parameters", model.tower_parameters, 0, largest_tower, "parameters", "parameters of vision and audio towers with their projectors: in memory and the optimizer update, not in forward and backward passes") \
  BOOLEAN(lm_head, "model", "lm_head", model.lm_head, "the model has an LM head") \
  BOOLEAN(lm_head_bias, "model", "lm_head_bias", model.lm_head_bias, "the LM head has a bias") \
  BOOLEAN(lm_head_transform, "model", "lm_head_transform", model.lm_head_transform, "a dense layer and a norm precede the LM head (BERT)") \
  CHOICE(input, "model", "input", model.input, Input, input_names, "what the first layer reads: tokens (embedding table); patches of an image or a latent (one GEMM); audio frames (two convolutions, the second with stride 2, Whisper); a spectrogram (strided convolutions over both dimensions, Conformer)") \
  INTEGER(input_size, "model", "input_size", model.input_size, 0, largest_width, "elements", "elements of a patch (16 * 16 * 3 of an image), or of a frame (mel bands)") \
  INTEGER(input_channels, "model", "input_channels", model.front.channels, 1, largest_width, "channels", "channels of the convolutions that read a spectrogram [default: hidden_size]") \
  INTEGER(input_reduction, "model", "input_reduction", model.front.reduction, 2, 64, "frames", "frames of a spectrogram per token, a power of two; sequence_length counts tokens") \
  BOOLEAN(input_separable, "model", "input_separable", model.front.separable, "these convolutions after the first are depthwise separable (FastConformer)") \
  INTEGER(output_size, "model", "output_size", model.output_size, 0, largest_width, "elements", "elements that a final GEMM predicts per token (diffusion: per patch); 0 for none") \
  BOOLEAN(diffusion_text_joined, "model.diffusion", "text_joined", model.diffusion.text_joined, "text and image tokens share the sequence in every layer (MMDiT, CogVideoX); otherwise the image reads the text by `cross_attention`") \
  INTEGER(diffusion_joint_layers, "model.diffusion", "joint_layers", model.diffusion.joint_layers, 0, max_layers, "layers", "layers with separate weights for text and image tokens (MMDiT); the others share one set") \
  INTEGER(diffusion_modulation, "model.diffusion", "modulation", model.diffusion.modulation, 0, 64, "vectors", "vectors of hidden_size that shift, scale and gate a layer: 6 in DiT; 0 for none") \
  BOOLEAN(diffusion_modulation_shared, "model.diffusion", "modulation_shared", model.diffusion.modulation_shared, "these vectors are computed once for all layers (PixArt, Wan)") \
  INTEGER(diffusion_condition_size, "model.diffusion", "condition_size", model.diffusion.condition_size, 0, largest_width, "elements", "elements of the conditioning vector; 0 for hidden_size") \
  INTEGER(diffusion_conditions, "model.diffusion", "conditions", model.diffusion.conditions, 0, 64, "vectors", "conditioning inputs (time, guidance, pooled text), each embedded by a small MLP") \
  INTEGER(diffusion_text_size, "model.diffusion", "text_size", model.diffusion.text_size, 0, largest_width, "elements", "elements of a text embedding before its projection; 0 for no projection") \
  INTEGER(moe_num_experts, "model.moe", "num_experts", model.moe.num_experts, 0, 65'536, "experts", "routed experts in each MoE layer") \
  INTEGER(moe_experts_per_token, "model.moe", "experts_per_token", model.moe.experts_per_token, 1, 65'536, "experts", "routed experts per token (top-k)") \
  INTEGER(moe_intermediate_size, "model.moe", "intermediate_size", model.moe.intermediate_size, 1, largest_width, "elements", "intermediate size of one expert") \
  INTEGER(moe_num_shared_experts, "model.moe", "num_shared_experts", model.moe.num_shared_experts, 0, 65'536, "experts", "shared experts, used by every token") \
  INTEGER(moe_shared_intermediate_size, "model.moe", "shared_intermediate_size", model.moe.shared_intermediate_size, 0, largest_width, "elements", "intermediate size of all shared experts together") \
  INTEGER(moe_first_dense_layers, "model.moe", "first_dense_layers", model.moe.first_dense_layers, 0, max_layers, "layers", "leading layers with a dense MLP") \
  INTEGER(moe_layer_interval, "model.moe", "layer_interval", model.moe.layer_interval, 1, max_layers, "layers", "every n-th layer is an MoE layer") \
  BOOLEAN(moe_router_bias, "model.moe", "router_bias", model.moe.router_bias, "the router adds a bias per expert to its scores (DeepSeek-V3)") \
  BOOLEAN(moe_router_fp32, "model.moe", "router_fp32", model.moe.router_fp32, "the router GEMM runs in fp32 on CUDA cores (MiniMax-M2 in vLLM)") \
  INTEGER(moe_latent_size, "model.moe", "latent_size", model.moe.latent_size, 0, largest_width, "elements", "width of the vectors that experts read and write (Nemotron-3); 0 for hidden_size") \
  INTEGER(moe_groups, "model.moe", "groups", model.moe.groups, 0, 65'536, "groups", "expert groups of group-limited routing (DeepSeek-V3: 8); 0 for none") \
  INTEGER(moe_groups_per_token, "model.moe", "groups_per_token", model.moe.groups_per_token, 0, 65'536, "groups", "groups that a token's experts are in (DeepSeek-V3: 4), which limits the nodes that receive it") \
  INTEGER(mla_q_lora_rank, "model.mla", "q_lora_rank", model.mla.q_lora_rank, 0, largest_width, "elements", "rank of the compressed query; 0 for a direct projection") \
  INTEGER(mla_kv_lora_rank, "model.mla", "kv_lora_rank", model.mla.kv_lora_rank, 0, largest_width, "elements", "rank of the compressed K and V") \
  INTEGER(mla_qk_nope_head_dim, "model.mla", "qk_nope_head_dim", model.mla.qk_nope_head_dim, 0, largest_width, "elements", "part of head_dim of Q and K without RoPE") \
  INTEGER(mla_qk_rope_head_dim, "model.mla", "qk_rope_head_dim", model.mla.qk_rope_head_dim, 0, largest_width, "elements", "part of head_dim of Q and K with RoPE") \
  INTEGER(mla_v_head_dim, "model.mla", "v_head_dim", model.mla.v_head_dim, 0, largest_width, "elements", "head dimension of V") \
  SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, mixer, "model.mixer", 0, "token mixer of the layers without softmax attention", "layers with it [default: all without softmax attention]") \
  SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, second_mixer, "model.second_mixer", 1, "second token mixer, in some of these layers", "layers with it") \
  SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, third_mixer, "model.third_mixer", 2, "third token mixer, in some of these layers", "layers with it") \
  INTEGER(window_size, "model.window", "size", model.window.size, 0, largest_length, "tokens", "keys that a query sees with sliding-window attention; 0 for all") \
  INTEGER(window_layers, "model.window", "layers", model.window.layers, 0, max_layers, "layers", "layers with sliding-window attention [default: all layers with attention if window_size is set]") \
  BOOLEAN(window_chunked, "model.window", "chunked", model.window.chunked, "the window is the chunk of the query (Llama 4), not the tokens before it") \
  BOOLEAN(attention_sinks, "model.window", "sinks", model.window.sinks, "a learned score per head joins each softmax (gpt-oss)") \
  INTEGER(indexer_keys, "model.indexer", "keys", model.indexer.keys, 0, largest_length, "tokens", "keys that each query reads, selected by an indexer (DeepSeek-V3.2); 0 for all") \
  INTEGER(indexer_heads, "model.indexer", "num_heads", model.indexer.heads, 0, largest_width, "heads", "heads of the indexer") \
  INTEGER(indexer_head_dim, "model.indexer", "head_dim", model.indexer.head_dim, 0, largest_width, "elements", "head dimension of the indexer") \
  INTEGER(compressed_ratio, "model.compressed", "ratio", model.compressed.ratio, 0, largest_length, "tokens", "tokens per compressed K and V entry; 0 for no compression") \
  INTEGER(compressed_q_lora_rank, "model.compressed", "q_lora_rank", model.compressed.q_lora_rank, 0, largest_width, "elements", "rank of the compressed query; 0 for a direct projection") \
  INTEGER(compressed_output_groups, "model.compressed", "output_groups", model.compressed.output_groups, 0, largest_width, "groups", "groups of heads, each with a low-rank output projection before the shared one; 0 for one projection") \
  INTEGER(compressed_output_rank, "model.compressed", "output_rank", model.compressed.output_rank, 0, largest_width, "elements", "output elements of each of these projections") \
  CHOICE(key_values, "model", "key_values", model.key_values, KeyValues, key_value_names, "K and V have separate projections; share one projection, each cached separately (Gemma 4); or are one tensor (DeepSeek-V4)") \
  CHOICE(sparse_kind, "model.sparse", "kind", model.sparse.kind, SparseKind, sparse_names, "nsa: native sparse attention, with compressed, selected and sliding-window branches; moba: mixture of block attention, selected blocks only") \
  INTEGER(sparse_blocks, "model.sparse", "blocks", model.sparse.blocks, 0, largest_length, "blocks", "blocks of keys that each query selects; 0 for all keys") \
  INTEGER(sparse_block_size, "model.sparse", "block_size", model.sparse.block_size, 0, largest_length, "tokens", "keys per block") \
  INTEGER(sparse_compressed_size, "model.sparse", "compressed_size", model.sparse.compressed_size, 0, largest_length, "tokens", "keys per compressed key") \
  INTEGER(sparse_compressed_stride, "model.sparse", "compressed_stride", model.sparse.compressed_stride, 0, largest_length, "tokens", "stride between compressed keys") \
  BOOLEAN(sparse_shared, "model.sparse", "shared", model.sparse.shared, "all three branches share one projection of K and V, and compressed keys are means (flash-linear-attention)") \
  INTEGER(sparse_window, "model.sparse", "window", model.sparse.window, 0, largest_length, "tokens", "last keys that each query sees in addition") \
  INTEGER(shared_blocks, "model.shared_block", "blocks", model.shared_block.blocks, 0, max_layers, "blocks", "blocks of attention and MLP whose weights the layers with attention share in turn; 0 for no sharing") \
  INTEGER(shared_input_size, "model.shared_block", "input_size", model.shared_block.input_size, 0, largest_width, "elements", "input elements of their attention: twice hidden_size if the embedding is concatenated (Zamba)") \
  INTEGER(shared_adapter_rank, "model.shared_block", "adapter_rank", model.shared_block.adapter_rank, 0, largest_width, "elements", "rank of the LoRA adapter that each layer adds to the first GEMM of the shared MLP (Zamba2); 0 for none") \
  BOOLEAN(shared_adapts_attention, "model.shared_block", "adapts_attention", model.shared_block.adapts_attention, "each layer has LoRA adapters for Q, K and V, too") \
  BOOLEAN(shared_projection, "model.shared_block", "projection", model.shared_block.projection, "each layer has its own square projection after the shared block (Zamba)") \
  CHOICE(mode, "run", "mode", plan.mode, Mode, mode_names, "kind of step") \
  CHOICE(dtype, "run", "dtype", plan.dtype, DType, dtype_names, "dtype of the GEMMs") \
  CHOICE(recipe, "run", "recipe", plan.recipe, Recipe, recipe_names, "scaling recipe of FP8 and FP4 operands (one scale per tensor, row or block); none: in training tensor or nvfp4, in serving as measured for the GPU") \
  BOOLEAN(wide_attention, "run", "wide_attention", plan.wide_attention, "attention projections stay in 16 bits although other GEMMs or weights are narrower (checkpoints with 4-bit experts only)") \
  INTEGER(wide_layers, "run", "wide_layers", plan.wide_layers, 0, max_layers, "layers", "layers whose GEMMs stay in 16 bits although dtype is narrower: the first and last in NVFP4 recipes") \
  CHOICE(attention, "run", "attention", plan.attention, Attention, attention_names, "flash: the newest FlashAttention of the GPU; flash1, flash2: an older version; cudnn: cuDNN's fused attention (PyTorch's scaled_dot_product_attention on Hopper); unfused: batched GEMMs and a softmax") \
  CHOICE(recompute, "run", "recompute", plan.recompute, Recompute, recompute_names, "activation recomputation in the backward pass: selective, the attention core; full, whole layers; operations, everything except fused attention and every second GEMM (torchtitan's selective checkpointing by operation); elementwise, everything except GEMMs with weights (JAX's policies that save them)") \
  INTEGER(recompute_layers, "run", "recompute_layers", plan.recompute_layers, 0, max_layers, "layers", "layers with full recomputation (Megatron's block method, torchtitan's every n-th layer); 0 for all") \
  INTEGER(recompute_unit, "run", "recompute_unit", plan.recompute_unit, 1, max_layers, "layers", "layers that full recomputation repeats as one unit, which keeps the input of the first (Megatron's uniform method)") \
  BOOLEAN(recompute_norms, "run", "recompute_norms", plan.recompute_norms, "training: recompute norms before attention, MLP and experts (Megatron's `--recompute-modules layernorm`)") \
  BOOLEAN(recompute_up_projections, "run", "recompute_up_projections", plan.recompute_up_projections, "training: recompute the MLA up projections of Q, K and V (`mla_up_proj`)") \
  BOOLEAN(recompute_mlp, "run", "recompute_mlp", plan.recompute_mlp, "training: recompute dense MLPs (`mlp`)") \
  BOOLEAN(recompute_experts, "run", "recompute_experts", plan.recompute_experts, "training: recompute MoE layers, with their all-to-alls (`moe`)") \
  BOOLEAN(recompute_expert_activations, "run", "recompute_expert_activations", plan.recompute_expert_activations, "training: recompute the activation functions of routed experts (`moe_act`)") \
  BOOLEAN(recompute_shared_experts, "run", "recompute_shared_experts", plan.recompute_shared_experts, "training: recompute shared experts (`shared_experts`)") \
  CHOICE(loss, "run", "loss", plan.loss, Loss, loss_names, "training: kernel of the loss, which decides its memory. unfused: separate operations in fp32 (PyTorch's cross entropy); vocab_parallel: in place over the TP ranks (Megatron's); vocab_parallel_fused: the same compiled, with a second copy (--cross-entropy-loss-fusion); fused: one kernel that reads logits and writes their gradient; chunked: a few tokens at once, fused with the LM head (Liger's and Apple's fused linear cross entropies)") \
  CHOICE(cuda_graphs, "run", "cuda_graphs", plan.graphs, CudaGraphScope, graph_names, "training an MoE model: scope of CUDA graphs. step: the whole step, with fixed-size expert buffers; parts: attention, recurrences, routers, with a host synchronization before the experts, as without graphs; by_release: as in recipes of the software release") \
  CHOICE(fusion, "run", "fusion", plan.fusion, Fusion, fusion_names, "fused elementwise kernels: norms fuses residual additions with the following norm (vLLM, TensorRT-LLM), full also fuses activations into GEMMs (torch.compile); convolutional networks: none as in frameworks, norms fuses batch norm, activation and addition, full fuses them into convolutions (inference)") \
  CHOICE(software, "run", "software", plan.software, Software, software_names, "release month of the software, if published runs show that it matters (MoE training)") \
  CHOICE(engine, "run", "engine", plan.engine, ServingEngine, engine_names, "serving: engine whose kernels run (experts, attention, all-reduces, quantization); fastest: the fastest in general (TensorRT-LLM)") \
  CHOICE(expert_kernels, "run", "expert_kernels", plan.expert_kernels, ExpertKernels, expert_kernel_names, "serving: kernel family for experts, if the engine has several; default: the engine's choice") \
  CHOICE(routing, "run", "routing", plan.routing, Routing, routing_names, "distribution of tokens over experts: uniform; power law; or exponential popularity (as measured in served models). The most loaded rank is predicted") \
  BOOLEAN(channels_last, "run", "channels_last", plan.channels_last, "convolutional network: tensors are NHWC, as tensor cores need them; otherwise (NCHW) they are transposed around each convolution") \
  INTEGER(micro_batch_size, "run", "micro_batch_size", plan.micro_batch_size, 1, largest_length, "sequences", "sequences per forward pass and rank") \
  INTEGER(sequence_length, "run", "sequence_length", plan.sequence_length, 1, largest_length, "tokens", "tokens per sequence") \
  INTEGER(source_length, "run", "source_length", plan.source_length, 0, largest_length, "tokens", "tokens of the encoder output that cross-attention reads, or of the text of a diffusion transformer [default: sequence_length]") \
  INTEGER(context_length, "run", "context_length", plan.context_length, 0, largest_length, "tokens", "tokens in the KV cache (decode)") \
  INTEGER(gradient_accumulation, "run", "gradient_accumulation", plan.gradient_accumulation, 1, largest_degree, "micro-batches", "micro-batches per optimizer step and pipeline") \
  INTEGER(weight_bits, "run", "weight_bits", plan.weight_bits, 0, 16, "bits", "inference and LoRA training: bits of a stored weight, for GEMMs in dtype (8, 4); 0 for those of dtype") \
  INTEGER(weight_group_size, "run", "weight_group_size", plan.weight_group_size, 0, largest_width, "weights", "weights per 16-bit scale; 0 for one scale per row") \
  INTEGER(expert_weight_bits, "run", "expert_weight_bits", plan.expert_weight_bits, 0, 16, "bits", "inference: bits of a stored weight of routed experts, if they differ (DeepSeek-V4: 4 with FP8 elsewhere); 0 for those of the other weights") \
  INTEGER(expert_weight_group_size, "run", "expert_weight_group_size", plan.expert_weight_group_size, 0, largest_width, "weights", "expert weights per 8-bit scale (MXFP4: 32); 0 for one scale per row") \
  BOOLEAN(unknown_weights, "run", "unknown_weights", plan.unknown_weights, "inference: the storage format of the weights is unknown, so their bytes are, too") \
  INTEGER(kv_cache_bits, "run", "kv_cache_bits", plan.kv_cache_bits, 0, 32, "bits", "inference: bits of an element of the KV cache; 0 for those of activations") \
  INTEGER(speculative_tokens, "run", "speculative_tokens", plan.speculative_tokens, 0, 65'536, "tokens", "decode: drafted tokens that one step verifies in addition to the next one") \
  INTEGER(speculative_acceptance, "run", "speculative_acceptance", plan.speculative_acceptance, 0, 100, "percent", "decode: probability that a drafted token is accepted if all before it were") \
  BOOLEAN(fused_gradient_accumulation, "run", "fused_gradient_accumulation", plan.fused_gradient_accumulation, "gradient accumulation fusion: wgrad GEMMs accumulate in place (Megatron-LM), without a separate pass") \
  INTEGER(prefill_tokens, "run", "prefill_tokens", plan.prefill_tokens, 0, largest_length, "tokens", "decode: prompt tokens of another sequence in each step (chunked prefill with decodes piggybacked); the prompt has context_length tokens") \
  BOOLEAN(dropout, "run", "dropout", plan.dropout, "attention weights and block outputs are dropped at random while training") \
  BOOLEAN(frozen, "run", "frozen", plan.frozen, "training: no weight of this model is trained, only what feeds it (projector, vision tower): no weight gradients and no optimizer states") \
  BOOLEAN(without_dropout, "run", "without_dropout", plan.without_dropout, "training: all dropout probabilities are 0, so no masks are kept; otherwise the memory of models with LayerNorm, and of unfused attention, counts them") \
  BOOLEAN(adapters, "run", "adapters", plan.adapters, "training: only LoRA adapters are trained; base weights have no gradients and no optimizer states") \
  INTEGER(adapter_rank, "run", "adapter_rank", plan.adapter_rank, 0, largest_width, "elements", "LoRA rank; 0: the time and memory of adapters are not modeled") \
  INTEGER(learning_layers, "run", "learning_layers", plan.learning_layers, 0, max_layers, "layers", "training: layers that are trained while all others, the embedding and the LM head are frozen (LLaMA-Factory's freeze), less learning_tables (LISA); 0: the whole model is trained") \
  INTEGER(reference_models, "run", "reference_models", plan.reference_models, 0, 16, "models", "training: frozen models of the same size on the same GPUs (the reference of DPO and KTO)") \
  BOOLEAN(frozen_towers, "run", "frozen_towers", plan.frozen_towers, "training: vision and audio towers are frozen") \
  INTEGER(learning_tables, "run", "learning_tables", plan.learning_tables, 0, 2, "tables", "training with adapters or learning_layers: tables over the vocabulary (embedding, LM head) that are trained whole, of adapters a copy (PEFT's modules_to_save)") \
  CHOICE(adapted, "run", "adapted", plan.adapted, LoraTargets, adapted_names, "GEMMs of a layer with LoRA adapters: all, those of attention, or Q and V only") \
  CHOICE(optimizer, "run", "optimizer", plan.optimizer, Optimizer, optimizer_names, "Adam; Muon (GEMMs that orthogonalize the update of each matrix, and Adam for other parameters); Shampoo; sgd, without state; momentum and Lion, with one state; Adafactor, with a row and a column per matrix; low_rank (GaLore, APOLLO), Adam with `optimizer_rank` dimensions") \
  INTEGER(optimizer_rank, "run", "optimizer_rank", plan.optimizer_rank, 0, largest_width, "elements", "training with a low_rank optimizer: rank of the projected gradients") \
  INTEGER(optimizer_bits, "run", "optimizer_bits", plan.optimizer_bits, 0, 32, "bits", "training: bits of an element of the optimizer states (8: 8-bit optimizers of bitsandbytes and torchao); 0 for 32, or 16 if weight_precision is half") \
  BOOLEAN(wide_embedding_states, "run", "wide_embedding_states", plan.wide_embedding_states, "training: the optimizer states of the embedding are 32-bit whatever optimizer_bits is (Hugging Face's Trainer with bitsandbytes)") \
  BOOLEAN(paged_optimizer, "run", "paged_optimizer", plan.paged_optimizer, "training: the optimizer states are in managed memory, which is paged to the host if the GPU is full (bitsandbytes' paged optimizers)") \
  CHOICE(weight_precision, "run", "weight_precision", plan.weight_precision, WeightPrecision, weight_precision_names, "training: stored weights. mixed: 16 bits, with an fp32 master copy; single: fp32 only, cast for each GEMM (autocast); half: 16 bits only, like the optimizer states (pure bf16)") \
  INTEGER(master_bits, "run", "master_bits", plan.master_bits, 0, 32, "bits", "training in mixed precision: bits of an element of the master weights (16: only the bits that the weights lack, as in Transformer Engine's precision-aware Adam); 0 for 32") \
  INTEGER(gradient_bits, "run", "gradient_bits", plan.gradient_bits, 0, 32, "bits", "training: bits of an element of the accumulated gradients (32: Megatron's main gradients with 16-bit weights); 0 for those of the weights") \
  CHOICE(gradient_storage, "run", "gradient_storage", plan.gradient_storage, GradientStorage, gradient_storage_names, "training: lifetime of gradients. buffer: always allocated (buffers of Megatron and DistributedDataParallel); freed: from the backward pass to the update (PyTorch's zero_grad with set_to_none); in_backward: one layer at once, updated in the backward pass (LOMO, torchtune's optimizer_in_bwd)") \
  BOOLEAN(eager, "run", "eager", plan.eager, "training: elementwise operations run separately, as in PyTorch modules without fused kernels or torch.compile: RMSNorm keeps an fp32 copy of its input, a gated MLP the output of its activation function") \
  BOOLEAN(compiled, "run", "compiled", plan.compiled, "training: torch.compile generates the kernels of the whole model, including the LM head, and pads the vocabulary if its rows are not a multiple of 16 bytes") \
  INTEGER(offload_optimizer, "run", "offload_optimizer", plan.offload_optimizer, 0, 100, "percent", "training: share of the optimizer states that is kept and updated in host memory (DeepSpeed's offload_optimizer, Megatron's --optimizer-cpu-offload)") \
  INTEGER(activation_input_bits, "run", "activation_input_bits", plan.activation_input_bits, 0, 32, "bits", "training: bits of an element of the inputs of an MLP's activation function that are kept for the backward pass (8 with Megatron-Core's activation_func_fp8_input_store and in DeepSeek-V3's training); 0 for those of activations") \
  BOOLEAN(offload_gradients, "run", "offload_gradients", plan.offload_gradients, "training: gradients are copied to host memory after a layer's backward pass (offloading in DeepSpeed and FSDP)") \
  BOOLEAN(offload_weights, "run", "offload_weights", plan.offload_weights, "training: weights are in host memory until a layer needs them (DeepSpeed's offload_param with ZeRO-3, FSDP's CPU offload)") \
  INTEGER(document_length, "run", "document_length", plan.document_length, 0, largest_length, "tokens", "training: tokens per document of a packed sequence with a document mask; 0 for no document mask") \
  BOOLEAN(offload_activations, "run", "offload_activations", plan.offload_activations, "training: activations are copied to host memory, and back for the backward pass, overlapped with computation") \
  INTEGER(colocated_mib, "run", "colocated_mib", plan.colocated_mib, 0, max_mib, "MiB", "memory of other models and engines on the same GPU: in reinforcement learning the weights and optimizer states of the critic while the policy trains, and those of the policy during rollouts") \
  INTEGER(memory_percent, "run", "memory_percent", plan.memory_percent, 0, 100, "percent", "inference: share of GPU memory that the engine may use for weights, KV cache and everything else (vLLM's gpu_memory_utilization, SGLang's mem_fraction_static); 0 for all free memory") \
  INTEGER(cache_percent, "run", "cache_percent", plan.cache_percent, 0, 100, "percent", "inference: share of the memory left by the weights that the KV cache may use (TensorRT-LLM's free_gpu_memory_fraction); 0 for all") \
  INTEGER(longest_sequence, "run", "longest_sequence", plan.longest_sequence, 0, largest_length, "tokens", "inference: maximum tokens of a sequence, prompt and answer, which the KV cache must hold (vLLM's max_model_len, SGLang's context_length); 0 for max_positions") \
  INTEGER(step_tokens, "run", "step_tokens", plan.step_tokens, 0, largest_length, "tokens", "inference: maximum tokens per engine step (vLLM's max_num_batched_tokens), for whose activations memory is reserved; 0 for the default") \
  INTEGER(most_sequences, "run", "most_sequences", plan.most_sequences, 0, largest_length, "sequences", "inference: maximum concurrent sequences (vLLM's max_num_seqs), for whose logits memory is reserved; 0 for the default") \
  INTEGER(position_table_bytes, "run", "position_table_bytes", plan.position_table_bytes, 0, largest_length, "bytes", "inference: bytes of RoPE tables per rank and position, if the engine has one table per layer (SGLang's DeepSeek-V4)") \
  INTEGER(tensor, "parallel", "tensor", plan.tensor, 1, largest_degree, "ranks", "tensor parallelism (TP)") \
  INTEGER(pipeline, "parallel", "pipeline", plan.pipeline, 1, largest_degree, "stages", "pipeline parallelism (PP)") \
  INTEGER(virtual_pipeline, "parallel", "virtual_pipeline", plan.virtual_pipeline, 1, max_layers, "chunks", "virtual pipeline stages per rank (VPP, Megatron's interleaved schedule), which divide the pipeline bubble") \
  CHOICE(pipeline_schedule, "parallel", "pipeline_schedule", plan.pipeline_schedule, PipelineSchedule, schedule_names, "training: pipeline schedule. 1f1b: one forward and one backward pass in turn, interleaved if virtual_pipeline is above 1; gpipe: all forward passes first; zero_bubble: ZB-H1, weight gradients fill the bubble; zero_bubble_v: ZB-V; dualpipe: DualPipe, two copies of the weights; dualpipe_v: DualPipeV; in_turn: one micro-batch at a time (device_map of accelerate)") \
  INTEGER(data, "parallel", "data", plan.data, 1, largest_degree, "ranks", "data parallelism (DP); in serving, DP attention: ranks with their own sequences, over which experts may be sharded") \
  INTEGER(expert, "parallel", "expert", plan.expert, 1, largest_degree, "ranks", "expert parallelism (EP): ranks over which experts are sharded, on the same GPUs as `data`, `tensor` and `context`") \
  INTEGER(expert_tensor, "parallel", "expert_tensor", plan.expert_tensor, 1, largest_degree, "ranks", "TP of the experts: ranks that shard each expert; expert * expert_tensor must not exceed data * tensor * context") \
  INTEGER(context, "parallel", "context", plan.context, 1, largest_degree, "ranks", "context parallelism (CP)") \
  CHOICE(token_dispatcher, "parallel", "token_dispatcher", plan.dispatcher, Dispatcher, dispatcher_names, "training an MoE model: fused: kernels that copy and send at once (DeepEP, HybridEP); alltoall: NCCL all-to-all between permutations, like Megatron-LM's dispatcher of this name") \
  CHOICE(overlap, "parallel", "overlap", plan.overlap, Overlap, overlap_names, "what overlaps with the all-to-alls of experts: nothing, the shared experts, or another micro-batch (DualPipe, two-batch overlap)") \
  INTEGER(dispatch_bits, "parallel", "dispatch_bits", plan.dispatch_bits, 0, 32, "bits", "bits of an element sent to an expert (8 in DeepSeek-V3's training), and of its gradient in the backward pass; 0 for those of activations") \
  BOOLEAN(tensor_overlap, "parallel", "tensor_overlap", plan.tensor_overlap, "training: TP collectives overlap with adjacent GEMMs (Megatron's --tp-comm-overlap)") \
  BOOLEAN(sequence_parallel, "parallel", "sequence_parallel", plan.sequence_parallel, "norms and residuals are sharded along the sequence over the tensor-parallel ranks") \
  INTEGER(zero, "parallel", "zero", plan.zero, 0, 3, "", "ZeRO stage: 1 optimizer states, 2 also gradients, 3 also weights sharded over the data-parallel ranks") \
  INTEGER(zero_ranks, "parallel", "zero_ranks", plan.zero_ranks, 0, largest_degree, "ranks", "data-parallel and context ranks that shard what `zero` says, replicated over the other ranks (HSDP, FSDP's hybrid sharding); 0 for all") \
  INTEGER(embedding_stages, "parallel", "embedding_stages", plan.embedding_stages, 0, 2, "stages", "layers that the embedding and the LM head count as when layers are divided among pipeline stages: 0, 1 for one of them, 2 for both") \
  INTEGER(stage_layers, "parallel", "stage_layers", plan.stage_layers, 0, max_layers, "layers", "layers of the largest pipeline stage, if the split is uneven (vLLM's VLLM_PP_LAYER_PARTITION); 0 if it is even")
// clang-format on
