/** Small source files with a single importer that are files of their own for a reason. */
export const layoutExceptions: Readonly<Record<string, string>> = {
  "packages/cloud/src/loopback/listener/udp-listener.ts": "a seam: the only file that opens UDP sockets for balancers",
}
