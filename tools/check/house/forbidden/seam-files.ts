/** A file that may use something that is forbidden elsewhere, because it implements a seam or stands at the edge of the program. */
export interface SeamFile {
  readonly file: string
  /** What it uses, as the rule names it. An entry that is no longer used is an error. */
  readonly uses: readonly string[]
  readonly reason: string
}

/** The one list. ARCHITECTURE.md says what is forbidden outside of it, and why that makes virtual time honest. */
export const seamFiles: readonly SeamFile[] = [
  {
    file: "packages/apiserver/src/certificates/keys.ts",
    uses: ["node:crypto webcrypto"],
    reason: "makes keys for the certificate library, which knows only WebCrypto; called before a server listens, never in virtual time",
  },
  {
    file: "packages/apiserver/src/http/response/compress.ts",
    uses: ["node:zlib gzip"],
    reason: "is the HTTP edge: two megabytes must not hold the process up while they are made smaller",
  },
  {
    file: "packages/apiserver/src/proxy/rewrite-page.ts",
    uses: ["node:zlib createGunzip", "node:zlib createInflateRaw"],
    reason: "passes pages of pods on: only what comes over a socket is compressed",
  },
  { file: "packages/apiserver/src/http/exchange/exchange.ts", uses: ["node:http2"], reason: "is the HTTP edge" },
  { file: "packages/apiserver/src/http/request/upgrade.ts", uses: ["node:http"], reason: "is the HTTP edge" },
  { file: "packages/apiserver/src/http/request/peer-certificate.ts", uses: ["node:tls"], reason: "is the HTTP edge" },
  { file: "packages/apiserver/src/http/secure-server.ts", uses: ["node:http2"], reason: "is the HTTP edge" },
  {
    file: "packages/apiserver/src/storage/disk/descriptor-reserve.ts",
    uses: ["node:fs"],
    reason:
      "opens and closes in one turn of the event loop, so that no connection takes a descriptor in between; only system-disk.ts uses it",
  },
  {
    file: "packages/apiserver/src/storage/disk/system-disk.ts",
    uses: ["node:fs", "setImmediate", "node:crypto randomUUID"],
    reason:
      "is the system's disk: asynchronous, because a sync must not hold the process up; in virtual time every call is wrapped in clock.external; its temporary files have names that no other process has",
  },
  {
    file: "packages/apiserver/src/http/request/request-turns.ts",
    uses: ["setImmediate"],
    reason: "divides requests that come at once over turns of the event loop, which is a real one also in virtual time",
  },
  {
    file: "packages/apiserver/src/request/turns.ts",
    uses: ["setImmediate"],
    reason: "gives sockets their turn between slices of long work; in virtual time no slice ends",
  },
  { file: "packages/cli/src/client/connection.ts", uses: ["process.env"], reason: "knows whether KUBECONFIG names another cluster" },
  {
    file: "packages/cli/src/discovery/system-resolver.ts",
    uses: ["node:dns"],
    reason: "asks this machine's name servers; where names are not to be asked for another resolver is passed in",
  },
  {
    file: "packages/cli/src/data-directory/directory-owner.ts",
    uses: ["node:fs"],
    reason: "is the system's locks, and knows which processes run: real files of the one process that is started on them",
  },
  {
    file: "packages/cli/src/commands/envtest-assets.ts",
    uses: ["node:fs", "process.env"],
    reason: "knows where this program is installed, and which kubectl PATH has",
  },
  { file: "packages/cli/src/doctor/machine-checks.ts", uses: ["node:net"], reason: "asks this machine whether a port is free" },
  {
    file: "packages/cli/src/embedded/exec-lock.ts",
    uses: ["node:net"],
    reason: "asks this machine whether another cluster has its loopback addresses; only for up --exec, whose processes are real",
  },
  {
    file: "packages/cli/src/process/inherited-descriptors.ts",
    uses: ["node:fs"],
    reason: "closes what this program was started with and its processes must not have; only for up --exec, whose processes are real",
  },
  {
    file: "packages/cli/src/process/turn-gate.ts",
    uses: ["setImmediate"],
    reason: "gives sockets their turn between requests in process; in virtual time none waits",
  },
  { file: "packages/cli/src/openstack/environment.ts", uses: ["process.env"], reason: "knows which cloud the OS_* variables lead to" },
  {
    file: "packages/cli/src/process/process.ts",
    uses: ["setTimeout"],
    reason: "ends a process that does not stop: its timer must not hold up one that does, which no clock of ours can",
  },
  {
    file: "packages/cli/src/up/run-command.ts",
    uses: ["node:child_process", "process.env"],
    reason: "runs a user's command beside the cluster, with its environment",
  },
  {
    file: "packages/cli/src/up/start-in-background.ts",
    uses: ["node:child_process", "node:fs"],
    reason: "starts this program in a process of its own, whose log is a file",
  },
  { file: "packages/cli/src/version.ts", uses: ["node:fs"], reason: "reads the package.json that it was installed with" },
  {
    file: "packages/cloud/src/loopback/dialer/endpoint-socket.ts",
    uses: ["node:net"],
    reason: "is the socket that the system's dialer reaches pods over",
  },
  {
    file: "packages/cloud/src/loopback/dialer/system-dialer.ts",
    uses: ["node:dgram"],
    reason: "reaches pods over the network of this host; where pods are simulated another dialer is passed in",
  },
  { file: "packages/cloud/src/loopback/listener/tcp-listener.ts", uses: ["node:net"], reason: "is the TCP edge of the loopback balancer" },
  {
    file: "packages/cloud/src/loopback/listener/udp-listener.ts",
    uses: ["node:dgram"],
    reason: "is the UDP edge of the loopback balancer",
  },
  {
    file: "packages/discovery/src/client/server-credentials.ts",
    uses: ["node:tls"],
    reason: "compares the names of a certificate with the host as TLS does; the connection itself is the gRPC library's",
  },
  {
    file: "packages/seams/src/edge/pipelining.ts",
    uses: ["setImmediate"],
    reason: "gives other sockets their turn between the requests of one connection",
  },
  {
    file: "packages/discovery/src/server/json-in-turns.ts",
    uses: ["setImmediate"],
    reason: "gives sockets their turn while a large page is written, also in virtual time",
  },
  {
    file: "packages/discovery/src/session/send-turns.ts",
    uses: ["setImmediate"],
    reason: "gives sockets their turn between the responses of a long request, also in virtual time",
  },
  {
    file: "packages/discovery/src/server/http2-server.ts",
    uses: ["node:http2", "setImmediate", "setTimeout"],
    reason: "is the socket that xDS is served on",
  },
  {
    file: "packages/discovery/src/server/keepalive.ts",
    uses: ["setImmediate", "setInterval", "setTimeout"],
    reason: "asks connections of that socket whether they live; in virtual time there are none",
  },
  {
    file: "packages/discovery/src/server/tls-credentials.ts",
    uses: ["node:tls"],
    reason: "tries a certificate before the server has it, which would drop every connection where it is no good",
  },
  {
    file: "packages/nodes/src/process/security/system-powers.ts",
    uses: ["node:child_process", "node:fs", "process.env"],
    reason: "asks the system what this program can do for the securityContext of real processes",
  },
  {
    file: "packages/nodes/src/process/system/system-leftovers.ts",
    uses: ["node:fs", "setTimeout"],
    reason: "finds processes of this host that lost their parent, and polls until the kernel has removed those it has killed",
  },
  {
    file: "packages/nodes/src/process/system/system-probe.ts",
    uses: ["node:http", "node:https", "node:net"],
    reason: "asks real processes whether they are well",
  },
  {
    file: "packages/nodes/src/process/system/system-spawn.ts",
    uses: ["node:child_process", "process.env", "setTimeout"],
    reason:
      "starts real processes, and limits how long one that has ended may leave its output open, which virtual time would cut off at once; where there are none it is not called",
  },
  {
    file: "packages/nodes/src/process/system/system-streams.ts",
    uses: ["node:child_process", "setInterval"],
    reason: "starts commands of real containers, and waits until nothing comes from one that has ended, as system-spawn.ts does",
  },
  {
    file: "packages/nodes/src/process/system/terminal.ts",
    uses: ["node:child_process", "process.env"],
    reason: "looks for the program that makes terminals for real processes, and resizes them",
  },
  {
    file: "packages/nodes/src/streaming/spdy/header-block.ts",
    uses: ["node:zlib createDeflate", "node:zlib createInflate"],
    reason: "speaks a protocol whose headers are one zlib stream, on sockets that are real also in virtual time",
  },
  { file: "packages/nodes/src/process/system/system-use.ts", uses: ["node:fs"], reason: "asks the system what real processes use" },
  { file: "packages/openstack/src/embedded/serve.ts", uses: ["node:http"], reason: "is the HTTP edge of the embedded cloud" },
  { file: "packages/runtime/src/defaults.ts", uses: ["process.env"], reason: "fills in what a user's program does not pass in" },
  {
    file: "packages/runtime/src/http/dead-connection.ts",
    uses: ["setInterval"],
    reason: "watches real sockets: virtual time would give healthy ones up",
  },
  {
    file: "packages/runtime/src/http/requesters.ts",
    uses: ["node:http", "node:http2", "node:net", "node:tls"],
    reason: "is the HTTP edge of the client: loads what speaks HTTP with the first request",
  },
  {
    file: "packages/runtime/src/http/dial.ts",
    uses: ["setTimeout"],
    reason: "limits how long a real socket may take to connect: virtual time would give it up at once",
  },
  {
    file: "packages/runtime/src/http/http2-session.ts",
    uses: ["setTimeout"],
    reason: "closes real connections that nothing uses: virtual time would close them at once",
  },
  {
    file: "packages/runtime/src/kubeconfig/run-plugin.ts",
    uses: ["node:child_process"],
    reason: "runs the exec plugins of a kubeconfig",
  },
  {
    file: "packages/runtime/src/webhook/serve-webhooks.ts",
    uses: ["node:https"],
    reason: "is the HTTPS edge of admission webhooks; in virtual time they are called in process",
  },
  {
    file: "packages/runtime/src/manager/serve-endpoints.ts",
    uses: ["node:http"],
    reason: "is the HTTP edge of a manager's health, metrics and trace",
  },
  {
    file: "packages/seams/src/edge/connection-limits.ts",
    uses: ["node:fs"],
    reason: "asks the system how many descriptors this process may open, once, when something listens",
  },
  {
    file: "packages/seams/src/system/system-clock.ts",
    uses: ["Date.now", "performance.now", "setTimeout"],
    reason: "is the system clock",
  },
  {
    file: "packages/seams/src/system/replace-file.ts",
    uses: ["node:fs"],
    reason: "writes the system's files",
  },
  {
    file: "packages/seams/src/system/system-files.ts",
    uses: ["node:fs"],
    reason: "is the system's files",
  },
  {
    file: "packages/seams/src/system/system-random.ts",
    uses: ["node:crypto randomFillSync"],
    reason: "is the system's randomness",
  },
  {
    file: "packages/seams/src/clock/virtual-clock.ts",
    uses: ["setImmediate", "setTimeout"],
    reason: "knows by a macrotask that all work has stopped, and limits in real time how long external work may take",
  },
]
