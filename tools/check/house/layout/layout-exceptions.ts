/** Small source files with a single importer that are files of their own for a reason. */
export const layoutExceptions: Readonly<Record<string, string>> = {
  "packages/apiserver/src/admission/node-restriction/certificates.ts":
    "reads certificates, so it is loaded with the first request of a node",
  "packages/apiserver/src/http/response/compress.ts": "a seam: the only file that compresses answers",
  "packages/cloud/src/loopback/listener/udp-listener.ts": "a seam: the only file that opens UDP sockets for balancers",
  "packages/cli/src/apiserver/configured-authorizers.ts": "a part of the bundle: what is imported dynamically is a file of its own",
  "packages/cli/src/completion/fish.ts": "one file per shell",
  "packages/cli/src/embedded/pod-network.ts": "a boundary: which addresses a client of the API server reaches, with tests of its own",
  "packages/cli/src/explain/access/report-right.ts": "a part of the bundle: what is imported dynamically is a file of its own",
  "packages/runtime/src/controller/causes.ts": "a class with an invariant of its own",
  "packages/runtime/src/controller/until-synced.ts": "waits with a timer of its own, which is no part of running reconciles",
}

/** The tables that wire one file per kind, verb, command or check: what their rows are. A row has no second importer. */
export const registryTables: Readonly<Record<string, string>> = {
  "packages/apiserver/src/admission/plugins/plugin-table.ts": "admission plugins",
  "packages/apiserver/src/admission/pod-security/checks/standards.ts": "checks of Pod Security",
  "packages/apiserver/src/authorization/bootstrap-policy/policy-objects.ts": "bootstrap roles and bindings",
  "packages/apiserver/src/customresources/schema/formats/formats.ts": "formats of strings",
  "packages/apiserver/src/handlers/verb-functions.ts": "verbs",
  "packages/apiserver/src/printing/printers.ts": "printers of kinds",
  "packages/apiserver/src/registry/strategies.ts": "strategies of kinds",
  "packages/cel/src/kubernetes/libraries/libraries.ts": "libraries of CEL",
  "packages/cel/src/overloads/standard-library.ts": "overloads of CEL by subject",
  "packages/cli/src/program.ts": "commands",
  "packages/cloud/src/cloud-controllers.ts": "cloud controllers",
  "packages/controllers/src/controllers.ts": "controllers",
  "packages/nodes/src/scheduler/filters/filter.ts": "filters of the scheduler",
  "packages/nodes/src/scheduler/scores/score.ts": "scores of the scheduler",
  "packages/openstack/src/drivers/drivers.ts": "drivers of kuryr",
}
