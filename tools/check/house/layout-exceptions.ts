/** Small source files with a single importer that are files of their own for a reason. */
export const layoutExceptions: Readonly<Record<string, string>> = {
  "packages/cloud/src/loopback/listener/udp-listener.ts": "a seam: the only file that opens UDP sockets for balancers",
  "packages/seams/src/system/system-clock.ts": "a seam: the Clock of the system, public by itself",
  "packages/seams/src/system/system-random.ts": "a seam: the Random of the system, public by itself",
}
