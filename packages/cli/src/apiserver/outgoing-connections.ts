// Imported with the first webhook. A dynamic import of the package itself would keep all of the runtime in the bundle of every command.
export { defaultTransport, serverDialer } from "@pilothouse/runtime"
