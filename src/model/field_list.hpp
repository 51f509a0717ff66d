// The one list of fields: a macro, because the enumeration FieldId and the table of fields() are made of it.
// An entry: its name, the table of the native file, the key there, the member of Setup, then by type
//   INTEGER: minimum, maximum, unit, what it means;  BOOLEAN: what it means;
//   CHOICE: the member's type, the names of its values, what it means.
#pragma once

// clang-format off
// Of one kind of layers without softmax attention: three tables have the same keys.
#define SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, prefix, table, at, what_it_is, which_layers) \
  CHOICE(prefix, table, "kind", model.mixers[at].kind, MixerKind, mixer_names, what_it_is) \
  INTEGER(prefix##_layers, table, "layers", model.mixers[at].layers, 0, most_layers, "layers", which_layers) \
  INTEGER(prefix##_key_heads, table, "num_key_heads", model.mixers[at].key_heads, 0, largest_width, "heads", "heads of its queries and keys; of a state space its groups") \
  INTEGER(prefix##_value_heads, table, "num_value_heads", model.mixers[at].value_heads, 0, largest_width, "heads", "heads of its values; of a state space its heads") \
  INTEGER(prefix##_key_dim, table, "key_head_dim", model.mixers[at].key_dim, 0, largest_width, "elements", "width of one head of its keys; of a state space the size of its state") \
  INTEGER(prefix##_value_dim, table, "value_head_dim", model.mixers[at].value_dim, 0, largest_width, "elements", "width of one head of its values") \
  INTEGER(prefix##_conv_kernel, table, "conv_kernel", model.mixers[at].conv_kernel, 0, 1024, "taps", "taps of the causal convolution before it; 0 for none") \
  INTEGER(prefix##_chunk, table, "chunk_size", model.mixers[at].chunk, 0, largest_length, "tokens", "tokens whose matrix products are taken together") \
  INTEGER(prefix##_gate_rank, table, "gate_rank", model.mixers[at].gate_rank, 0, largest_width, "elements", "rank of its compressed gates (Mamba: of the time step); 0 for none") \
  BOOLEAN(prefix##_bias, table, "bias", model.mixers[at].bias, "its projections have a bias") \
  BOOLEAN(prefix##_parallel, table, "parallel", model.mixers[at].parallel, "it runs beside attention, in the same layers (Falcon-H1, Hymba)") \
  BOOLEAN(prefix##_joined, table, "joined", model.mixers[at].joined, "attention's projection back takes the mean of both, and the mixer has none of its own (Hymba)")

#define SHAPELINT_FIELDS(INTEGER, BOOLEAN, CHOICE) \
  INTEGER(hidden_size, "model", "hidden_size", model.hidden_size, 1, largest_width, "elements", "width of the residual stream") \
  INTEGER(num_layers, "model", "num_layers", model.num_layers, 1, most_layers, "layers", "layers, or blocks of a hybrid") \
  INTEGER(num_attention_heads, "model", "num_attention_heads", model.num_attention_heads, 1, largest_width, "heads", "query heads") \
  INTEGER(num_key_value_heads, "model", "num_key_value_heads", model.num_key_value_heads, 1, largest_width, "heads", "key and value heads; as many as query heads unless stated (GQA, MQA)") \
  INTEGER(head_dim, "model", "head_dim", model.head_dim, 1, largest_width, "elements", "width of one head; hidden_size / num_attention_heads unless stated") \
  INTEGER(value_head_dim, "model", "value_head_dim", model.value_head_dim, 1, largest_width, "elements", "width of one head's values; head_dim unless stated") \
  INTEGER(intermediate_size, "model", "intermediate_size", model.intermediate_size, 1, largest_width, "elements", "width of one branch of the MLP") \
  BOOLEAN(mlp_gated, "model", "mlp_gated", model.mlp_gated, "the MLP has two branches up, one of them a gate (SwiGLU, GeGLU)") \
  INTEGER(vocab_size, "model", "vocab_size", model.vocab_size, 1, largest_vocabulary, "rows", "size of the vocabulary") \
  INTEGER(vocab_padding_multiple, "model", "vocab_padding_multiple", model.vocab_padding_multiple, 1, largest_vocabulary, "rows", "the framework pads the vocabulary to a multiple of this times the tensor degree; 1 for none") \
  BOOLEAN(tie_word_embeddings, "model", "tie_word_embeddings", model.tie_word_embeddings, "the head shares the embedding's weights") \
  BOOLEAN(parallel_block, "model", "parallel_block", model.parallel_block, "attention and MLP read the same input (GPT-J, Falcon)") \
  BOOLEAN(causal, "model", "causal", model.causal, "each token sees only those before it") \
  INTEGER(layers_without_attention, "model", "layers_without_attention", model.layers_without_attention, 0, most_layers, "layers", "layers of a hybrid without softmax attention: they mix tokens by what `[model.mixer]` says, or, beyond its layers, not at all") \
  INTEGER(layers_without_mlp, "model", "layers_without_mlp", model.layers_without_mlp, 0, most_layers, "layers", "layers of a hybrid that have neither an MLP nor experts") \
  INTEGER(mtp_layers, "model", "mtp_layers", model.mtp_layers, 0, 64, "layers", "layers that predict further tokens while training (DeepSeek-V3)") \
  INTEGER(residual_streams, "model", "residual_streams", model.residual_streams, 1, 64, "streams", "copies of the residual stream that hyper-connections mix; 1 for an ordinary one") \
  BOOLEAN(cross_attention, "model", "cross_attention", model.cross_attention, "each layer also attends to the output of an encoder (T5, BART, Whisper)") \
  INTEGER(shared_key_value_layers, "model", "shared_key_value_layers", model.shared_key_value_layers, 0, most_layers, "layers", "layers whose attention reads the keys and values of an earlier layer, and which make none of their own (CLA, YOCO)") \
  INTEGER(mlps_per_layer, "model", "mlps_per_layer", model.mlps_per_layer, 1, 4, "MLPs", "MLPs of a layer that has one: 2 in a conformer, one before attention and one behind it") \
  INTEGER(convolution_kernel, "model", "convolution_kernel", model.convolution_kernel, 0, 1024, "taps", "taps of the depthwise convolution in a module of its own in each layer with attention (Conformer); 0 for none") \
  BOOLEAN(relative_positions, "model", "relative_positions", model.relative_positions, "attention's scores add products of queries and embedded distances (Transformer-XL, Conformer)") \
  CHOICE(norm, "model", "norm", model.norm, Norm, norm_names, "kind of normalization") \
  BOOLEAN(norm_bias, "model", "norm_bias", model.norm_bias, "layer norms have a bias vector") \
  BOOLEAN(qkv_bias, "model", "qkv_bias", model.qkv_bias, "query, key and value projections have a bias") \
  BOOLEAN(attention_output_bias, "model", "attention_output_bias", model.attention_output_bias, "attention's output projection has a bias") \
  BOOLEAN(mlp_bias, "model", "mlp_bias", model.mlp_bias, "the MLP's projections have a bias") \
  BOOLEAN(qk_norm, "model", "qk_norm", model.qk_norm, "queries and keys are normalized, each head by itself unless `qk_norm_whole` says otherwise") \
  BOOLEAN(qk_norm_whole, "model", "qk_norm_whole", model.qk_norm_whole, "that norm is over all heads together (OLMo 2, MiniMax-M2): ranks that share the heads add their sums up") \
  BOOLEAN(attention_gate, "model", "attention_gate", model.attention_gate, "attention's output is gated by a projection as wide as the queries (Qwen3-Next)") \
  INTEGER(attention_gate_rank, "model", "attention_gate_rank", model.attention_gate_rank, 0, largest_width, "elements", "rank of that projection, which is two products then (MoBA in flash-linear-attention); 0 for one product") \
  INTEGER(learned_positions, "model", "learned_positions", model.learned_positions, 0, largest_length, "rows", "rows of a learned position table; 0 for rotary and the like") \
  INTEGER(max_positions, "model", "max_positions", model.max_positions, 0, largest_length, "tokens", "tokens of the longest sequence that the model is made for (max_position_embeddings); 0 where that is not known") \
  INTEGER(norms_per_layer, "model", "norms_per_layer", model.norms_per_layer, 0, 16, "norms", "norms over the hidden size in each layer") \
  INTEGER(token_types, "model", "token_types", model.token_types, 0, 1024, "rows", "rows of a token-type table (BERT)") \
  BOOLEAN(final_norm, "model", "final_norm", model.final_norm, "a norm after the last layer") \
  BOOLEAN(embedding_norm, "model", "embedding_norm", model.embedding_norm, "a norm after the embedding") \
  BOOLEAN(pooler, "model", "pooler", model.pooler, "a dense layer over the first token (BERT)") \
  BOOLEAN(lm_head, "model", "lm_head", model.lm_head, "a projection to the vocabulary is run") \
  BOOLEAN(lm_head_bias, "model", "lm_head_bias", model.lm_head_bias, "that projection has a bias") \
  BOOLEAN(lm_head_transform, "model", "lm_head_transform", model.lm_head_transform, "a dense layer and a norm come before that projection (BERT)") \
  CHOICE(input, "model", "input", model.input, Input, input_names, "what the first layer reads: rows of an embedding table; patches of an image or a latent, by one product; frames of sound, by two convolutions of which the second halves them (Whisper); a spectrogram, by convolutions over both its sides that halve them each time (Conformer)") \
  INTEGER(input_size, "model", "input_size", model.input_size, 0, largest_width, "elements", "elements of a patch (16 * 16 * 3 of an image), or of a frame (mel bands)") \
  INTEGER(input_channels, "model", "input_channels", model.front.channels, 1, largest_width, "channels", "channels of the convolutions that read a spectrogram; hidden_size unless stated") \
  INTEGER(input_reduction, "model", "input_reduction", model.front.reduction, 2, 64, "frames", "frames of a spectrogram that become one token, a power of two; sequence_length counts tokens") \
  BOOLEAN(input_separable, "model", "input_separable", model.front.separable, "of those convolutions, all but the first are depthwise ones, each with a product behind it (FastConformer)") \
  INTEGER(output_size, "model", "output_size", model.output_size, 0, largest_width, "elements", "elements that a last product predicts for each token (diffusion: of a patch); 0 for none") \
  BOOLEAN(diffusion_text_joined, "model.diffusion", "text_joined", model.diffusion.text_joined, "the text's tokens stand beside the image's in every layer, and each attends to all (MMDiT, CogVideoX); where the image reads the text by `cross_attention` they do not") \
  INTEGER(diffusion_joint_layers, "model.diffusion", "joint_layers", model.diffusion.joint_layers, 0, most_layers, "layers", "layers, of all, with weights of their own for the text's tokens and for the image's (MMDiT); the others have one set for both") \
  INTEGER(diffusion_modulation, "model.diffusion", "modulation", model.diffusion.modulation, 0, 64, "vectors", "vectors of hidden_size that shift, scale and gate a layer: 6 in DiT; 0 for a model that nothing steers so") \
  BOOLEAN(diffusion_modulation_shared, "model.diffusion", "modulation_shared", model.diffusion.modulation_shared, "those vectors are made once for all layers (PixArt, Wan)") \
  INTEGER(diffusion_condition_size, "model.diffusion", "condition_size", model.diffusion.condition_size, 0, largest_width, "elements", "elements of the vector that they are made of; 0 for hidden_size") \
  INTEGER(diffusion_conditions, "model.diffusion", "conditions", model.diffusion.conditions, 0, 64, "vectors", "vectors that steer it (time, guidance, pooled text), each embedded by a small MLP") \
  INTEGER(diffusion_text_size, "model.diffusion", "text_size", model.diffusion.text_size, 0, largest_width, "elements", "elements of a text token's embedding as it comes in; 0 where nothing projects it") \
  INTEGER(moe_num_experts, "model.moe", "num_experts", model.moe.num_experts, 0, 65'536, "experts", "routed experts in each mixture layer") \
  INTEGER(moe_experts_per_token, "model.moe", "experts_per_token", model.moe.experts_per_token, 1, 65'536, "experts", "routed experts that each token visits (top-k)") \
  INTEGER(moe_intermediate_size, "model.moe", "intermediate_size", model.moe.intermediate_size, 1, largest_width, "elements", "width of one branch of one expert") \
  INTEGER(moe_num_shared_experts, "model.moe", "num_shared_experts", model.moe.num_shared_experts, 0, 65'536, "experts", "experts that every token visits") \
  INTEGER(moe_shared_intermediate_size, "model.moe", "shared_intermediate_size", model.moe.shared_intermediate_size, 0, largest_width, "elements", "width of one branch of all shared experts together") \
  INTEGER(moe_first_dense_layers, "model.moe", "first_dense_layers", model.moe.first_dense_layers, 0, most_layers, "layers", "leading layers with an ordinary MLP") \
  INTEGER(moe_layer_interval, "model.moe", "layer_interval", model.moe.layer_interval, 1, most_layers, "layers", "every n-th layer is a mixture") \
  BOOLEAN(moe_router_bias, "model.moe", "router_bias", model.moe.router_bias, "the router adds a number per expert to its score (DeepSeek-V3)") \
  BOOLEAN(moe_router_fp32, "model.moe", "router_fp32", model.moe.router_fp32, "the router's product runs in fp32, on CUDA cores (MiniMax-M2 in vLLM)") \
  INTEGER(moe_latent_size, "model.moe", "latent_size", model.moe.latent_size, 0, largest_width, "elements", "width of the vectors that experts read and write (Nemotron-3); 0 for hidden_size") \
  INTEGER(moe_groups, "model.moe", "groups", model.moe.groups, 0, 65'536, "groups", "groups of experts among which a token chooses first (DeepSeek-V3: 8); 0 where it chooses among all experts") \
  INTEGER(moe_groups_per_token, "model.moe", "groups_per_token", model.moe.groups_per_token, 0, 65'536, "groups", "groups that a token's experts lie in (4): no more nodes than that receive it") \
  INTEGER(mla_q_lora_rank, "model.mla", "q_lora_rank", model.mla.q_lora_rank, 0, largest_width, "elements", "rank of the compressed query; 0 for a direct projection") \
  INTEGER(mla_kv_lora_rank, "model.mla", "kv_lora_rank", model.mla.kv_lora_rank, 0, largest_width, "elements", "rank of the compressed keys and values") \
  INTEGER(mla_qk_nope_head_dim, "model.mla", "qk_nope_head_dim", model.mla.qk_nope_head_dim, 0, largest_width, "elements", "part of a query's head without rotary embedding") \
  INTEGER(mla_qk_rope_head_dim, "model.mla", "qk_rope_head_dim", model.mla.qk_rope_head_dim, 0, largest_width, "elements", "part of a query's head with rotary embedding") \
  INTEGER(mla_v_head_dim, "model.mla", "v_head_dim", model.mla.v_head_dim, 0, largest_width, "elements", "width of one head's values") \
  SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, mixer, "model.mixer", 0, "what the layers without softmax attention mix tokens by", "layers that have it; all that are without softmax attention unless stated") \
  SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, second_mixer, "model.second_mixer", 1, "what some of those layers mix tokens by instead", "layers that have it") \
  SHAPELINT_FIELDS_OF_A_MIXER(INTEGER, BOOLEAN, CHOICE, third_mixer, "model.third_mixer", 2, "what others of them do", "layers that have it") \
  INTEGER(window_size, "model.window", "size", model.window.size, 0, largest_length, "tokens", "keys that a query of a layer with a window sees; 0 for all") \
  INTEGER(window_layers, "model.window", "layers", model.window.layers, 0, most_layers, "layers", "layers whose attention has the window; with a size, all with attention unless stated") \
  BOOLEAN(window_chunked, "model.window", "chunked", model.window.chunked, "the window is the chunk that the query lies in (Llama 4), not the tokens before it") \
  BOOLEAN(attention_sinks, "model.window", "sinks", model.window.sinks, "a learned score per head joins each softmax (gpt-oss)") \
  INTEGER(indexer_keys, "model.indexer", "keys", model.indexer.keys, 0, largest_length, "tokens", "keys that each query reads, the highest scores of an indexer (DeepSeek-V3.2); 0 for all") \
  INTEGER(indexer_heads, "model.indexer", "num_heads", model.indexer.heads, 0, largest_width, "heads", "heads of the indexer") \
  INTEGER(indexer_head_dim, "model.indexer", "head_dim", model.indexer.head_dim, 0, largest_width, "elements", "width of one head of the indexer") \
  INTEGER(compressed_ratio, "model.compressed", "ratio", model.compressed.ratio, 0, largest_length, "tokens", "tokens of which one key, and value, is made; 0 where all keys are kept") \
  INTEGER(compressed_q_lora_rank, "model.compressed", "q_lora_rank", model.compressed.q_lora_rank, 0, largest_width, "elements", "rank of the compressed query; 0 for a direct projection") \
  INTEGER(compressed_output_groups, "model.compressed", "output_groups", model.compressed.output_groups, 0, largest_width, "groups", "groups of heads, each with a narrow projection of its own before one for all; 0 for one projection") \
  INTEGER(compressed_output_rank, "model.compressed", "output_rank", model.compressed.output_rank, 0, largest_width, "elements", "elements that each of those puts out") \
  CHOICE(key_values, "model", "key_values", model.key_values, KeyValues, key_value_names, "whether keys and values have projections of their own; share one projection, and are cached each as it is used (Gemma 4); or are one tensor (DeepSeek-V4)") \
  CHOICE(sparse_kind, "model.sparse", "kind", model.sparse.kind, SparseKind, sparse_names, "what a query sees. nsa: compressed blocks of all keys, the keys of the blocks whose compressed ones score highest, and the last keys (native sparse attention); moba: the keys of the blocks whose mean keys score highest (mixture of block attention)") \
  INTEGER(sparse_blocks, "model.sparse", "blocks", model.sparse.blocks, 0, largest_length, "blocks", "blocks of keys that each query selects; 0 for all keys") \
  INTEGER(sparse_block_size, "model.sparse", "block_size", model.sparse.block_size, 0, largest_length, "tokens", "keys of such a block") \
  INTEGER(sparse_compressed_size, "model.sparse", "compressed_size", model.sparse.compressed_size, 0, largest_length, "tokens", "keys of which one compressed key is made") \
  INTEGER(sparse_compressed_stride, "model.sparse", "compressed_stride", model.sparse.compressed_stride, 0, largest_length, "tokens", "keys from one of these to the next") \
  BOOLEAN(sparse_shared, "model.sparse", "shared", model.sparse.shared, "one projection of keys and values for all three branches, and means as compressed keys (flash-linear-attention)") \
  INTEGER(sparse_window, "model.sparse", "window", model.sparse.window, 0, largest_length, "tokens", "last keys that each query sees besides") \
  INTEGER(shared_blocks, "model.shared_block", "blocks", model.shared_block.blocks, 0, most_layers, "blocks", "blocks of attention and MLP that all layers with attention take their weights from in turn; 0 where each has its own") \
  INTEGER(shared_input_size, "model.shared_block", "input_size", model.shared_block.input_size, 0, largest_width, "elements", "elements that their attention reads: twice hidden_size where the embedding stands beside the stream (Zamba)") \
  INTEGER(shared_adapter_rank, "model.shared_block", "adapter_rank", model.shared_block.adapter_rank, 0, largest_width, "elements", "rank of what each layer adds to the weights of the shared MLP's first product (Zamba2); 0 for nothing") \
  BOOLEAN(shared_adapts_attention, "model.shared_block", "adapts_attention", model.shared_block.adapts_attention, "each layer adds the same to the weights of queries, keys and values") \
  BOOLEAN(shared_projection, "model.shared_block", "projection", model.shared_block.projection, "each layer has a square product of its own behind the shared block (Zamba)") \
  CHOICE(mode, "run", "mode", plan.mode, Mode, mode_names, "what is run") \
  CHOICE(dtype, "run", "dtype", plan.dtype, DType, dtype_names, "number format of the matrix products") \
  CHOICE(recipe, "run", "recipe", plan.recipe, Recipe, recipe_names, "how operands of a byte or less are scaled (one scale for each tensor, row, or block); none: in training tensor or nvfp4, in serving as the GPU's profile was measured") \
  BOOLEAN(wide_attention, "run", "wide_attention", plan.wide_attention, "attention's projections stay in 16 bits where the layers' other products or weights are narrower (checkpoints of mixtures whose experts alone are in 4 bits)") \
  INTEGER(wide_layers, "run", "wide_layers", plan.wide_layers, 0, most_layers, "layers", "layers whose products stay in 16 bits where dtype is narrower: the first and last of a model, in NVFP4's recipes") \
  CHOICE(attention, "run", "attention", plan.attention, Attention, attention_names, "one fused kernel (flash: the newest that the GPU has; flash1, flash2: of an older FlashAttention; cudnn: of cuDNN, which PyTorch's scaled_dot_product_attention takes on Hopper), or matrix products and a softmax") \
  CHOICE(recompute, "run", "recompute", plan.recompute, Recompute, recompute_names, "activations computed again in the backward pass: selective those of attention's core; full whole layers; operations all but fused attention and every second product (torchtitan's selective checkpointing by operation); elementwise all but products with weights (JAX's policies that save these)") \
  INTEGER(recompute_layers, "run", "recompute_layers", plan.recompute_layers, 0, most_layers, "layers", "layers, of all, that full recomputation takes (Megatron's block method, torchtitan's every n-th layer); 0 for all") \
  INTEGER(recompute_unit, "run", "recompute_unit", plan.recompute_unit, 1, most_layers, "layers", "layers that full recomputation computes again together, of which the input of the first is kept (Megatron's uniform method)") \
  BOOLEAN(recompute_norms, "run", "recompute_norms", plan.recompute_norms, "training: norms before attention, MLP and experts are computed again in the backward pass (Megatron's `--recompute-modules layernorm`)") \
  BOOLEAN(recompute_up_projections, "run", "recompute_up_projections", plan.recompute_up_projections, "training: latent attention's products from the compressed vectors to queries, keys and values are computed again (`mla_up_proj`)") \
  BOOLEAN(recompute_mlp, "run", "recompute_mlp", plan.recompute_mlp, "training: MLPs that are no experts are computed again (`mlp`)") \
  BOOLEAN(recompute_experts, "run", "recompute_experts", plan.recompute_experts, "training: mixtures of experts are computed again in the backward pass, their exchange of tokens with them (`moe`)") \
  BOOLEAN(recompute_expert_activations, "run", "recompute_expert_activations", plan.recompute_expert_activations, "training: routed experts' activation functions are computed again (`moe_act`)") \
  BOOLEAN(recompute_shared_experts, "run", "recompute_shared_experts", plan.recompute_shared_experts, "training: shared experts are computed again (`shared_experts`)") \
  CHOICE(loss, "run", "loss", plan.loss, Loss, loss_names, "training: how the loss is made of the logits, which is what their memory depends on. unfused: an operation after the other in fp32 (PyTorch's cross entropy); vocab_parallel: in place, over the ranks of tensor parallelism (Megatron's); fused: by a kernel that reads logits and writes their gradient; chunked: a few tokens at a time, with the projection (Liger's and Apple's fused linear cross entropies)") \
  CHOICE(cuda_graphs, "run", "cuda_graphs", plan.graphs, CudaGraphScope, graph_names, "training a mixture: what CUDA graphs hold. step: the whole step, experts in buffers of a fixed size; parts: attention, recurrences, routers, so that the GPU waits for its host before the experts, as it does without graphs; by_release: as recipes of the software's month") \
  CHOICE(fusion, "run", "fusion", plan.fusion, Fusion, fusion_names, "elementwise kernels that run inside others: norms with the residual additions before them (vLLM, TensorRT-LLM), full also activations with the products before them (torch.compile); convolutional networks: none as frameworks run them, norms: batch norms, activations and additions joined, full: inside the convolutions (inference)") \
  CHOICE(software, "run", "software", plan.software, Software, software_names, "month of the software's release, where published runs of several dates show that it matters (training of mixtures)") \
  CHOICE(engine, "run", "engine", plan.engine, ServingEngine, engine_names, "serving: whose kernels run (experts, attention, all-reduces, quantizing passes); fastest: those that are so in general (TensorRT-LLM's)") \
  CHOICE(expert_kernels, "run", "expert_kernels", plan.expert_kernels, ExpertKernels, expert_kernel_names, "serving: the family of those kernels, where an engine has several; default: the engine's own choice") \
  CHOICE(routing, "run", "routing", plan.routing, Routing, routing_names, "how tokens are spread over a mixture's experts: evenly, as chance has it; by a power law; or with experts of exponentially distributed popularity (as served models were found to do). Where it is uneven, the rank with most of them is priced") \
  BOOLEAN(channels_last, "run", "channels_last", plan.channels_last, "convolutional network: images lie in memory by pixel (NHWC), as tensor cores need them; else (NCHW) they are transposed around each convolution that runs there") \
  INTEGER(micro_batch_size, "run", "micro_batch_size", plan.micro_batch_size, 1, largest_length, "sequences", "sequences per forward pass and rank") \
  INTEGER(sequence_length, "run", "sequence_length", plan.sequence_length, 1, largest_length, "tokens", "tokens per sequence") \
  INTEGER(source_length, "run", "source_length", plan.source_length, 0, largest_length, "tokens", "tokens of the encoder's output that cross-attention reads, or of the text that a diffusion transformer reads along; sequence_length unless stated") \
  INTEGER(context_length, "run", "context_length", plan.context_length, 0, largest_length, "tokens", "tokens already in the cache (decode)") \
  INTEGER(gradient_accumulation, "run", "gradient_accumulation", plan.gradient_accumulation, 1, largest_degree, "micro-batches", "micro-batches per optimizer step and pipeline") \
  INTEGER(weight_bits, "run", "weight_bits", plan.weight_bits, 0, 16, "bits", "inference, and training of adapters: bits of a stored weight of the layers' products, which are computed in dtype anyway (8, 4); 0 for dtype's") \
  INTEGER(weight_group_size, "run", "weight_group_size", plan.weight_group_size, 0, largest_width, "weights", "weights that share a 16-bit scale; 0 for a whole row") \
  INTEGER(expert_weight_bits, "run", "expert_weight_bits", plan.expert_weight_bits, 0, 16, "bits", "inference: bits of a stored weight of routed experts, where the other weights are stored otherwise (DeepSeek-V4: 4 beside FP8); 0 for as these") \
  INTEGER(expert_weight_group_size, "run", "expert_weight_group_size", plan.expert_weight_group_size, 0, largest_width, "weights", "weights of an expert that share an 8-bit scale (MXFP4: 32); 0 for a whole row") \
  BOOLEAN(unknown_weights, "run", "unknown_weights", plan.unknown_weights, "inference: weights are stored in a format that nobody states, so their bytes are not known") \
  INTEGER(kv_cache_bits, "run", "kv_cache_bits", plan.kv_cache_bits, 0, 32, "bits", "inference: bits of an element of the cached keys and values; 0 for those of activations") \
  INTEGER(speculative_tokens, "run", "speculative_tokens", plan.speculative_tokens, 0, 65'536, "tokens", "decode: drafted tokens that one step checks beside the next one") \
  INTEGER(speculative_acceptance, "run", "speculative_acceptance", plan.speculative_acceptance, 0, 100, "percent", "decode: chance that a drafted token is accepted when those before it were") \
  BOOLEAN(fused_gradient_accumulation, "run", "fused_gradient_accumulation", plan.fused_gradient_accumulation, "products add to the sum of gradients as they write it (Megatron-LM), instead of a pass of its own") \
  INTEGER(prefill_tokens, "run", "prefill_tokens", plan.prefill_tokens, 0, largest_length, "tokens", "decode: tokens of another sequence's prompt that each step reads along (chunked prefill with decodes piggybacked); the prompt is as long as the cache, context_length") \
  BOOLEAN(dropout, "run", "dropout", plan.dropout, "attention weights and block outputs are dropped at random while training") \
  BOOLEAN(adapters, "run", "adapters", plan.adapters, "training: only adapters (LoRA) learn, so the weights have no gradients and no optimizer's states") \
  INTEGER(adapter_rank, "run", "adapter_rank", plan.adapter_rank, 0, largest_width, "elements", "rank of the adapters; 0: what they add to the step is not costed") \
  INTEGER(learning_layers, "run", "learning_layers", plan.learning_layers, 0, most_layers, "layers", "training: layers that learn where all else is frozen, embedding and head too, and so has neither gradients nor optimizer states (LLaMA-Factory's freeze); 0 where all of the model learns") \
  INTEGER(reference_models, "run", "reference_models", plan.reference_models, 0, 16, "models", "training: frozen models of the same size on the same GPUs, whose weights are kept beside the one that learns (the reference of DPO and KTO)") \
  CHOICE(adapted, "run", "adapted", plan.adapted, LoraTargets, adapted_names, "which products of a layer have an adapter: all, those of attention, or queries and values only") \
  CHOICE(optimizer, "run", "optimizer", plan.optimizer, Optimizer, optimizer_names, "what updates the weights: Adam; Muon (products that make the update of each matrix orthogonal) and Adam for what is no matrix; Shampoo; sgd, without a state; momentum and Lion, with one; Adafactor, with a row and a column for a matrix; low_rank (GaLore, APOLLO), Adam in a space of `optimizer_rank` dimensions") \
  INTEGER(optimizer_rank, "run", "optimizer_rank", plan.optimizer_rank, 0, largest_width, "elements", "training with a low_rank optimizer: rank of the gradients that it keeps moments of") \
  INTEGER(optimizer_bits, "run", "optimizer_bits", plan.optimizer_bits, 0, 32, "bits", "training: bits of an element of the optimizer's states (8: bitsandbytes' and torchao's 8-bit optimizers); 0 for 32, or 16 where weight_precision is half") \
  BOOLEAN(wide_embedding_states, "run", "wide_embedding_states", plan.wide_embedding_states, "training: the optimizer's states of the embedding are in 32 bits whatever optimizer_bits says (Hugging Face's Trainer with bitsandbytes)") \
  BOOLEAN(paged_optimizer, "run", "paged_optimizer", plan.paged_optimizer, "training: the optimizer's states are in managed memory, which moves to the host when the GPU has no room (bitsandbytes' paged optimizers)") \
  CHOICE(weight_precision, "run", "weight_precision", plan.weight_precision, WeightPrecision, weight_precision_names, "training: what is kept of weights. mixed: 16 bits, and a copy in fp32 that the optimizer updates; single: fp32 alone, cast for each product (autocast); half: 16 bits alone, as the optimizer's states (pure bf16)") \
  INTEGER(master_bits, "run", "master_bits", plan.master_bits, 0, 32, "bits", "training in mixed precision: bits of an element of the optimizer's copy of the weights (16: the half that the weights lack, as Transformer Engine's precision-aware Adam keeps it); 0 for 32") \
  INTEGER(gradient_bits, "run", "gradient_bits", plan.gradient_bits, 0, 32, "bits", "training: bits of an element of the gradients that a rank keeps, the sum of its micro-batches (32: Megatron's main gradients beside weights of 16 bits); 0 for those of the weights") \
  CHOICE(gradient_storage, "run", "gradient_storage", plan.gradient_storage, GradientStorage, gradient_storage_names, "training: when gradients are in memory. buffer: always (Megatron's and DistributedDataParallel's buffers); freed: from the backward pass to the update (PyTorch's zero_grad, which sets them to none); in_backward: of one layer at a time, whose weights are updated in the backward pass (LOMO, torchtune's optimizer_in_bwd)") \
  BOOLEAN(eager, "run", "eager", plan.eager, "training: elementwise operations run one after the other, as PyTorch's modules without fused kernels or torch.compile: RMSNorm keeps a copy of its input in fp32, a gated MLP what its activation function puts out") \
  BOOLEAN(compiled, "run", "compiled", plan.compiled, "training: torch.compile makes the kernels of the whole model, its output projection too, and pads the vocabulary where its rows are no multiples of 16 bytes") \
  INTEGER(offload_optimizer, "run", "offload_optimizer", plan.offload_optimizer, 0, 100, "percent", "training: of the optimizer's states, the share that is kept in the host's memory and updated there (DeepSpeed's offload_optimizer, Megatron's --optimizer-cpu-offload)") \
  BOOLEAN(offload_gradients, "run", "offload_gradients", plan.offload_gradients, "training: gradients are copied to the host's memory as a layer's backward pass ends (DeepSpeed's and FSDP's offloading)") \
  BOOLEAN(offload_weights, "run", "offload_weights", plan.offload_weights, "training: weights are in the host's memory until a layer needs them (DeepSpeed's offload_param with ZeRO 3, FSDP's CPU offload)") \
  INTEGER(document_length, "run", "document_length", plan.document_length, 0, largest_length, "tokens", "training: tokens of one document of a packed sequence, where none attends beyond its own (a mask by document); 0 where all attend to all before them") \
  BOOLEAN(offload_activations, "run", "offload_activations", plan.offload_activations, "training: activations are copied to the host's memory, and back for the backward pass, beside computation") \
  INTEGER(colocated_mib, "run", "colocated_mib", plan.colocated_mib, 0, most_mib, "MiB", "memory that other models and engines keep on the same GPU meanwhile: in reinforcement learning the critic's weights and optimizer states while the policy learns, and the policy's during rollouts") \
  INTEGER(memory_percent, "run", "memory_percent", plan.memory_percent, 0, 100, "percent", "inference: of a GPU's memory, what the engine may take for weights, cached keys and values and all else (vLLM's gpu_memory_utilization, SGLang's mem_fraction_static); 0 for what it can have") \
  INTEGER(cache_percent, "run", "cache_percent", plan.cache_percent, 0, 100, "percent", "inference: of the memory that weights leave, what cached keys and values may take (TensorRT-LLM's free_gpu_memory_fraction); 0 for all") \
  INTEGER(longest_sequence, "run", "longest_sequence", plan.longest_sequence, 0, largest_length, "tokens", "inference: tokens, prompt and answer, that an engine lets a sequence grow to, one of which its KV cache must hold (vLLM's max_model_len, SGLang's context_length); 0 for max_positions") \
  INTEGER(step_tokens, "run", "step_tokens", plan.step_tokens, 0, largest_length, "tokens", "inference: most tokens of one step of an engine (vLLM's max_num_batched_tokens), whose activations it keeps room for; 0 for its default") \
  INTEGER(most_sequences, "run", "most_sequences", plan.most_sequences, 0, largest_length, "sequences", "inference: sequences that an engine may run at a time (vLLM's max_num_seqs), whose logits it keeps room for; 0 for its default") \
  INTEGER(position_table_bytes, "run", "position_table_bytes", plan.position_table_bytes, 0, largest_length, "bytes", "inference: bytes of rotary tables that every rank keeps for each of max_positions, where an engine has one for each layer (SGLang's DeepSeek-V4)") \
  INTEGER(tensor, "parallel", "tensor", plan.tensor, 1, largest_degree, "ranks", "tensor-parallel degree") \
  INTEGER(pipeline, "parallel", "pipeline", plan.pipeline, 1, largest_degree, "stages", "pipeline-parallel degree") \
  INTEGER(virtual_pipeline, "parallel", "virtual_pipeline", plan.virtual_pipeline, 1, most_layers, "chunks", "chunks of layers that each stage of the pipeline holds (Megatron's interleaved schedule): they divide its idle time") \
  INTEGER(data, "parallel", "data", plan.data, 1, largest_degree, "ranks", "data-parallel degree; in serving, of attention: ranks with sequences of their own, over which a mixture's experts may be shared out") \
  INTEGER(expert, "parallel", "expert", plan.expert, 1, largest_degree, "ranks", "expert-parallel degree: ranks that share the experts out, over the same GPUs as `data`, `tensor` and `context`") \
  INTEGER(expert_tensor, "parallel", "expert_tensor", plan.expert_tensor, 1, largest_degree, "ranks", "tensor-parallel degree of the experts: ranks that split each; expert * expert_tensor GPUs hold all of a layer's, and no more than data * tensor * context") \
  INTEGER(context, "parallel", "context", plan.context, 1, largest_degree, "ranks", "context-parallel degree") \
  CHOICE(token_dispatcher, "parallel", "token_dispatcher", plan.dispatcher, Dispatcher, dispatcher_names, "training a mixture: what exchanges tokens between experts. fused: kernels that copy and send at once (DeepEP, HybridEP); alltoall: NCCL's all-to-all between permutations, as Megatron-LM's dispatcher of this name") \
  CHOICE(overlap, "parallel", "overlap", plan.overlap, Overlap, overlap_names, "what the exchange of tokens between experts runs beside: nothing, the shared experts, or another micro-batch's computation (DualPipe, two-batch overlap)") \
  INTEGER(dispatch_bits, "parallel", "dispatch_bits", plan.dispatch_bits, 0, 32, "bits", "bits of an element on its way to an expert (8 in DeepSeek-V3's training), and backward of its gradient; 0 for those of activations") \
  BOOLEAN(tensor_overlap, "parallel", "tensor_overlap", plan.tensor_overlap, "training: collectives of tensor parallelism run beside the products next to them (Megatron's --tp-comm-overlap)") \
  BOOLEAN(sequence_parallel, "parallel", "sequence_parallel", plan.sequence_parallel, "norms and residuals are sharded along the sequence over the tensor-parallel ranks") \
  INTEGER(zero, "parallel", "zero", plan.zero, 0, 3, "", "ZeRO stage: what is sharded over the data-parallel ranks") \
  INTEGER(embedding_stages, "parallel", "embedding_stages", plan.embedding_stages, 0, 2, "stages", "whether the embedding and the head are counted as a layer each when layers are divided among the stages of the pipeline: 0, 1 for one of them, 2 for both") \
  INTEGER(stage_layers, "parallel", "stage_layers", plan.stage_layers, 0, most_layers, "layers", "layers of the pipeline's fullest stage, where the stages' shares are not even (vLLM's VLLM_PP_LAYER_PARTITION); 0 where they are")
// clang-format on
