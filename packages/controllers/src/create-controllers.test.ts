import { expect, test } from "vitest"
import { controllers } from "./controllers.ts"
import { createControllers, selectControllers } from "./create-controllers.ts"

const names = (select: readonly string[]) => selectControllers(select).map((entry) => entry.name)
const byDefault = controllers.filter((entry) => entry.onByDefault).map((entry) => entry.name)

test.each<[name: string, select: readonly string[], expected: readonly string[]]>([
  ["a star is all that are on by default", ["*"], byDefault],
  ["one by its name", ["deployment-controller"], ["deployment-controller"]],
  ["one by its older, shorter name", ["podgc"], ["pod-garbage-collector-controller"]],
  ["a minus wins, wherever it stands", ["-job", "*"], byDefault.filter((name) => name !== "job-controller")],
  ["a minus wins over the same name without", ["job", "-job"], []],
  ["nothing", [], []],
])("%s", (_name, select, expected) => {
  expect(names(select)).toEqual(expected)
})

const gated = (name: string) => controllers.filter(({ featureGate }) => featureGate?.name === name).map((entry) => entry.name)
const offByBeta = byDefault.filter((name) => !gated("DRADeviceTaints").includes(name))

test.each<[name: string, select: readonly string[], gates: Readonly<Record<string, boolean>>, expected: readonly string[]]>([
  ["a gate that is on adds to the star", ["*"], { GenericWorkload: true }, [...byDefault, "podgroup-protection-controller"]],
  ["a gate that is on adds nothing without the star", ["job"], { GenericWorkload: true }, ["job-controller"]],
  ["a minus wins over a gate", ["*", "-podgroup-protection"], { GenericWorkload: true }, byDefault],
  ["a gate that is off wins over a name", ["job", "svm"], { StorageVersionMigrator: false }, ["job-controller"]],
  ["a gate that is off takes from the star", ["*"], { DRADeviceTaints: false }, offByBeta],
  ["a gate that no controller has", ["*"], { Unheard: true }, byDefault],
  ["no beta", ["*"], { AllBeta: false }, offByBeta],
  ["no beta but one", ["*"], { AllBeta: false, DRADeviceTaints: true }, byDefault],
  ["a name, and its gate as it is by default", ["svm"], {}, ["storage-version-migrator-controller"]],
])("%s", (_name, select, gates, expected) => {
  expect(
    selectControllers(select, gates)
      .map((entry) => entry.name)
      .toSorted(),
  ).toEqual(expected.toSorted())
})

test("all alpha gates are those of three controllers", () => {
  const more = selectControllers(["*"], { AllAlpha: true }).filter(({ onByDefault }) => !onByDefault)
  expect(more.map(({ featureGate }) => featureGate?.name).toSorted()).toEqual([
    "DRAResourcePoolStatus",
    "GenericWorkload",
    "StorageVersionAPI",
  ])
})

test.each<[name: string, word: string, hint: string]>([
  ["nearly the short name of one", "deploymnt", 'did you mean "deployment"?'],
  ["nearly the whole name of one", "-replicset-controller", 'did you mean "replicaset-controller"?'],
  ["like none", "nonsense", "there are deployment-controller, "],
])("refuses a name that no controller has, with the closest name or the list: %s", (_name, word, hint) => {
  expect(() => names([word])).toThrow(`expected the name of a controller, found "${word.replace(/^-/, "")}"; ${hint}`)
})

test("no name or alias stands for two controllers", () => {
  const all = controllers.flatMap((entry) => [entry.name, ...entry.aliases])
  expect(new Set(all).size).toBe(all.length)
})

test("flags come as words of a command line or as values of a file, and reach their controller", () => {
  for (const given of ["7", 7]) {
    const [created] = createControllers({ select: ["deployment"], settings: { "concurrent-deployment-syncs": given } })
    expect(created?.maxConcurrentReconciles).toBe(7)
  }
})

test("underscores in the names of flags are dashes, as upstream", () => {
  const [created] = createControllers({ select: ["replicationcontroller"], settings: { concurrent_rc_syncs: 7 } })
  expect(created?.maxConcurrentReconciles).toBe(7)
})

test.each<[name: string, settings: Record<string, unknown>, message: string]>([
  [
    "a flag that no controller has",
    { "concurrent-deploymet-syncs": 3 },
    'expected the name of a controller\'s flag, found "concurrent-deploymet-syncs"',
  ],
  ["a count that is none", { "concurrent-job-syncs": "many" }, '--concurrent-job-syncs: expected a whole number from 1, found "many"'],
  ["a count of zero", { "concurrent-job-syncs": 0 }, "--concurrent-job-syncs: expected a whole number from 1, found 0"],
  ["a duration that is none", { "endpoint-updates-batch-period": "soon" }, "--endpoint-updates-batch-period: expected a duration"],
])("%s is refused", (_name, settings, message) => {
  expect(() => createControllers({ settings })).toThrow(message)
})

test("the garbage collector can be switched off by its own flag, as upstream", () => {
  expect(createControllers({ select: ["garbagecollector"], settings: { "enable-garbage-collector": "false" } })).toEqual([])
})

test("leaves out a controller without what it needs, and runs the others", () => {
  const select = ["root-ca-cert-publisher", "job"]
  expect(createControllers({ select }).map(({ name }) => name)).toEqual(["job-controller"])
  expect(createControllers({ select, needs: { rootCa: "CA" } })).toHaveLength(2)
})
