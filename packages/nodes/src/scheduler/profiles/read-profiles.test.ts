import { expect, test } from "vitest"
import { defaultWeights, type SchedulerProfile } from "./profile.ts"
import { readProfiles } from "./read-profiles.ts"

function read(profiles: unknown, more: object = {}): readonly SchedulerProfile[] {
  return readProfiles({ apiVersion: "kubescheduler.config.k8s.io/v1", kind: "KubeSchedulerConfiguration", profiles, ...more })
}

/** What a profile changes: "-filter" and "score=weight". */
function changes(plugins: object): readonly string[] {
  const [{ disabledFilters, weights } = { disabledFilters: new Set(), weights: defaultWeights }] = read([{ plugins }])
  const names = Object.keys(defaultWeights) as (keyof typeof defaultWeights)[]
  const weighed = names.filter((name) => weights[name] !== defaultWeights[name]).map((name) => `${name}=${weights[name]}`)
  return [...[...disabledFilters].map((name) => `-${name}`), ...weighed]
}

const image = { name: "ImageLocality" }
const taints = { name: "TaintToleration" }

test.each<[what: string, plugins: object, expected: readonly string[]]>([
  ["nothing", {}, []],
  ["a score that is off", { score: { disabled: [image] } }, ["imageLocality=0"]],
  ["a score with another weight", { score: { enabled: [{ ...image, weight: 5 }] } }, ["imageLocality=5"]],
  ["a score without a weight", { score: { enabled: [taints] } }, ["preferredTaints=1"]],
  ["a filter that is off", { filter: { disabled: [taints] } }, ["-taints"]],
  ["a plug-in that is off at every point", { multiPoint: { disabled: [taints] } }, ["-taints", "preferredTaints=0"]],
  ["off at every point, on at one", { multiPoint: { disabled: [taints] }, filter: { enabled: [taints] } }, ["preferredTaints=0"]],
  [
    "no score but one",
    { score: { disabled: [{ name: "*" }], enabled: [{ ...image, weight: 2 }] } },
    [
      "preferredTaints=0",
      "preferredNodes=0",
      "leastAllocated=0",
      "balancedAllocation=0",
      "imageLocality=2",
      "spreading=0",
      "preferredPods=0",
    ],
  ],
])("a profile says %s", (_what, plugins, expected) => {
  expect(changes(plugins)).toEqual(expected)
})

test("without profiles there is the default one", () => {
  expect(read(undefined).map(({ schedulerName }) => schedulerName)).toEqual(["default-scheduler"])
})

test.each<[what: string, profiles: unknown, more: object, message: string]>([
  ["an extender", undefined, { extenders: [{ urlPrefix: "http://e" }] }, "expected no extenders, found 1"],
  ["arguments of a plug-in", [{ pluginConfig: [{ name: "NodeResourcesFit" }] }], {}, "expected no pluginConfig"],
  ["another point", [{ plugins: { reserve: { disabled: [{ name: "*" }] } } }], {}, "found reserve"],
  ["a plug-in that is unheard of", [{ plugins: { score: { enabled: [{ name: "ImageLocalty" }] } } }], {}, "did you mean ImageLocality?"],
  ["no binder", [{ plugins: { multiPoint: { disabled: [{ name: "DefaultBinder" }] } } }], {}, "expected plugins that can be disabled here"],
  ["two profiles of a name", [{ schedulerName: "a" }, { schedulerName: "a" }], {}, "found two of a"],
  ["a profile of several without a name", [{ schedulerName: "a" }, {}], {}, "found one without"],
  ["another version", undefined, { apiVersion: "kubescheduler.config.k8s.io/v1beta3" }, "expected a KubeSchedulerConfiguration of"],
])("%s is refused", (_what, profiles, more, message) => {
  expect(() => read(profiles, more)).toThrow(expect.objectContaining({ code: "INVALID", message: expect.stringContaining(message) }))
})
