/** Small source files with a single importer that are files of their own for a reason. */
export const layoutExceptions: Readonly<Record<string, string>> = {
  "packages/apiserver/src/http/response/compress.ts": "a seam: the only file that compresses answers",
  "packages/cloud/src/loopback/listener/udp-listener.ts": "a seam: the only file that opens UDP sockets for balancers",
  "packages/seams/src/system/system-clock.ts": "a seam: the Clock of the system, public by itself",
  "packages/seams/src/system/system-random.ts": "a seam: the Random of the system, public by itself",
  "packages/api/src/protobuf/varint.ts": "the one varint encoder, which other packages import from @pilothouse/api/protobuf",
  "packages/cli/src/completion/fish.ts": "one file per shell",
  "packages/runtime/src/controller/causes.ts": "a class with an invariant of its own",
  "packages/runtime/src/controller/until-synced.ts": "waits with a timer of its own, which is no part of running reconciles",
}
