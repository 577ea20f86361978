import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { featureGatesOf } from "./flags/flags.ts"
import { changedSettings, readConfiguration, settingsOf } from "./settings.ts"
import { debugAddressOf } from "./start.ts"

test("words win over the file, the file over the defaults", () => {
  const { own, controllerSettings } = settingsOf(
    { "leader-elect": "false", "concurrent-job-syncs": "3" },
    { "leader-elect": true, "secure-port": 0, "concurrent-job-syncs": 9, "concurrent-gc-syncs": 4 },
  )
  expect([own["leader-elect"], own["secure-port"], own["bind-address"]]).toEqual([false, 0, "127.0.0.1"])
  expect(controllerSettings).toEqual({ "concurrent-job-syncs": "3", "concurrent-gc-syncs": 4 })
})

test("underscores in the names of flags are dashes, as upstream", () => {
  const { own, controllerSettings } = settingsOf({}, { leader_elect: false, concurrent_rc_syncs: 9 })
  expect([own["leader-elect"], controllerSettings]).toEqual([false, { "concurrent-rc-syncs": 9 }])
})

test("a file could not have the flags of kube-controller-manager that a command line may have: they are named, others refused", () => {
  const { own, ignored } = settingsOf({}, { requestheader_client_ca_file: "/ca.crt", profiling: true, "cluster-name": "one" })
  expect([own["cluster-name"], ignored]).toEqual(["one", ["requestheader-client-ca-file", "profiling"]])
  expect(() => settingsOf({}, { "kube-api-qp": 50 })).toThrow('found "kube-api-qp"')
})

test.each([
  { given: "50", qps: 50 },
  { given: "0", qps: 0 },
  { given: "-1", qps: 0 },
])("--kube-api-qps=$given is a limit of $qps", ({ given, qps }) => {
  expect(settingsOf({ "kube-api-qps": given }, {}).own["kube-api-qps"]).toBe(qps)
})

test.each<[said: string, read: string]>([
  ["https://10.0.0.1:10257", "https://10.0.0.1:10257"],
  ["https://fd00::1:10257", "https://[fd00::1]:10257"],
  ["https://::1:10257", "https://[::1]:10257"],
  ["https://[fd00::1]:10257", "https://[fd00::1]:10257"],
  ["https://leader.example.com:10257", "https://leader.example.com:10257"],
])("--debug-address %s, which a manifest makes of a pod's address, is %s", (said, read) => {
  expect(settingsOf({ "debug-address": said }, {}).own["debug-address"]).toBe(read)
})

test.each<[bound: string, own: readonly string[], told: string]>([
  ["127.0.0.1", ["192.0.2.7"], "https://127.0.0.1:10257"],
  ["::1", ["192.0.2.7"], "https://[::1]:10257"],
  ["0.0.0.0", ["2001:db8::7", "192.0.2.7"], "https://192.0.2.7:10257"],
  ["::", ["2001:db8::7"], "https://[2001:db8::7]:10257"],
  ["0.0.0.0", [], "https://127.0.0.1:10257"],
])("--bind-address %s on a machine with %j: its Lease leads to %s", (bound, own, told) => {
  expect(debugAddressOf(settingsOf({ "bind-address": bound }, {}).own, own)).toBe(told)
})

test("a list is one word or a list", () => {
  for (const controllers of ["*,-job", ["*", "-job"]]) expect(settingsOf({}, { controllers }).own.controllers).toEqual(["*", "-job"])
})

test.each<[name: string, words: Record<string, unknown>, file: Record<string, unknown>, message: string]>([
  ["a flag that does not exist", {}, { "leader-elekt": true }, 'found "leader-elekt"; did you mean "leader-elect"?'],
  ["one with underscores", {}, { leader_elekt: true }, 'found "leader_elekt"; did you mean "leader-elect"?'],
  ["a value of the wrong kind", {}, { "leader-elect": "maybe" }, '--leader-elect: expected true or false, found "maybe"'],
  ["a duration that is none", { "leader-elect-retry-period": "soon" }, {}, "--leader-elect-retry-period: expected a duration"],
  [
    "a controller that does not exist",
    { controllers: "deploymnt" },
    {},
    '--controllers: expected the name of a controller, found "deploymnt"; did you mean "deployment"?',
  ],
  ["a log level that is none", {}, { "log-level": "loud" }, '--log-level: expected debug, info, warn or error, found "loud"'],
  ["a log format that is none", { "logging-format": "xml" }, {}, '--logging-format: expected text or json, found "xml"'],
  ["no controller at all", { controllers: "" }, {}, '--controllers: expected at least one controller or "*", found nothing'],
  ["a wrong value for a controller", { "concurrent-job-syncs": "0" }, {}, "--concurrent-job-syncs: expected a whole number from 1"],
])("%s is refused before anything starts", (_name, words, file, message) => {
  expect(() => settingsOf(words, file)).toThrow(message)
})

test.each(["legacy-service-account-token-cleaner", "legacy-serviceaccount-token-cleaner"])(
  "%s is a controller, by upstream's older name and by its own",
  (name) => {
    expect(settingsOf({ controllers: `*,-${name}` }, {}).own.controllers).toEqual(["*", `-${name}`])
  },
)

test("every controller of upstream may be named, in both of its names", () => {
  for (const name of ["selinux-warning-controller", "-storage-version-gc", "attachdetach"])
    expect(settingsOf({ controllers: `*,${name}` }, {}).own.controllers).toEqual(["*", name])
})

test.each<[given: unknown, gates: Readonly<Record<string, boolean>>]>([
  ["GenericWorkload=true", { GenericWorkload: true }],
  ["kube:GenericWorkload=true,DRADeviceTaints=false", { GenericWorkload: true, DRADeviceTaints: false }],
  [["AllAlpha=true", "AllAlpha=false"], { AllAlpha: false }],
  [{ GenericWorkload: true }, { GenericWorkload: true }],
  ["", {}],
])("--feature-gates of %j are %j", (given, gates) => {
  expect(featureGatesOf(settingsOf({}, { "feature-gates": given }).own)).toEqual(gates)
})

test.each(["GenericWorkload", "GenericWorkload=maybe", "=true"])("--feature-gates=%s is refused as wrong usage", (given) => {
  expect(() => settingsOf({ "feature-gates": given }, {})).toThrow(expect.objectContaining({ code: "USAGE" }))
})

test.each<[name: string, text: string | undefined, message: string]>([
  ["no file", undefined, "expected a configuration file at /run.yaml, found nothing"],
  ["not YAML", "a: [", "expected YAML in /run.yaml, found"],
  ["a list", "- a", 'expected flag names and values in /run.yaml, such as "leader-elect: false", found ["a"]'],
])("%s is refused by name", (_name, text, message) => {
  const files = virtualFiles(new VirtualClock())
  if (text !== undefined) files.write("/run.yaml", text)
  expect(() => readConfiguration(files, "/run.yaml")).toThrow(message)
})

test("distinguishes changes by whether they need a restart", () => {
  const before = settingsOf({}, {})
  const after = settingsOf({}, { "log-level": "debug", "logging-format": "json", controllers: "job", "concurrent-job-syncs": 9 })
  expect(changedSettings(before, after)).toEqual({
    live: ["log-level", "logging-format"],
    restart: ["controllers", "concurrent-job-syncs"],
  })
})
