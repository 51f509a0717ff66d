-- Starts `shapelint lsp` for TOML, YAML and JSON in Neovim 0.7 or later. Put it into your configuration, or into a
-- file there that `require` finds.
local command = { "shapelint", "lsp" } -- `--gpu h100` behind it names the GPU for every file
local filetypes = { "toml", "yaml", "json", "jsonc" }
local markers = { ".shapelint.toml", "shapelint.toml", "pyproject.toml", ".git" }

if vim.lsp.config and vim.lsp.enable then -- 0.11
  vim.lsp.config("shapelint", { cmd = command, filetypes = filetypes, root_markers = markers })
  vim.lsp.enable("shapelint")
  return
end

-- Before, one server for all files: it looks up each file's configuration by itself.
local client
vim.api.nvim_create_autocmd("FileType", {
  pattern = filetypes,
  callback = function(event)
    client = client or vim.lsp.start_client({ name = "shapelint", cmd = command, root_dir = vim.fn.getcwd() })
    if client then
      vim.lsp.buf_attach_client(event.buf, client)
    end
  end,
})
