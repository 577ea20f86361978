import { formatFieldErrors } from "@pilothouse/api"
import { expect, test } from "vitest"
import { formatPolicy, modes, policyOf, privilegedPolicy } from "./policy.ts"

const label = (name: string) => `pod-security.kubernetes.io/${name}`

test.each([
  ["nothing", {}, "privileged:latest privileged:latest privileged:latest"],
  ["a level warns of the same", { enforce: "baseline" }, "baseline:latest privileged:latest baseline:latest"],
  ["a version goes with it", { enforce: "baseline", "enforce-version": "v1.20" }, "baseline:v1.20 privileged:latest baseline:v1.20"],
  ["warn has its own", { enforce: "restricted", warn: "baseline" }, "restricted:latest privileged:latest baseline:latest"],
  ["a version of warn alone", { enforce: "restricted", "warn-version": "v1.9" }, "restricted:latest privileged:latest restricted:v1.9"],
  ["a version alone", { "enforce-version": "v1.9" }, "privileged:v1.9 privileged:latest privileged:latest"],
  ["audit", { audit: "restricted" }, "privileged:latest restricted:latest privileged:latest"],
])("%s", (_what, labels, expected) => {
  const named = Object.fromEntries(Object.entries(labels).map(([name, value]) => [label(name), value]))
  const { policy, errors } = policyOf(named, privilegedPolicy)
  expect([modes.map((mode) => formatPolicy(policy[mode])).join(" "), errors]).toEqual([expected, []])
})

test("labels that are no policy enforce the strictest, and report nothing", () => {
  const { policy, errors } = policyOf(
    { [label("enforce")]: "none", [label("audit")]: "x", [label("warn-version")]: "1.2" },
    privilegedPolicy,
  )
  expect(modes.map((mode) => formatPolicy(policy[mode]))).toEqual(["restricted:latest", "privileged:latest", "privileged:latest"])
  expect(formatFieldErrors(errors)).toBe(
    `[metadata.labels[${label("enforce")}]: Invalid value: "none": must be one of privileged, baseline, restricted, ` +
      `metadata.labels[${label("audit")}]: Invalid value: "x": must be one of privileged, baseline, restricted, ` +
      `metadata.labels[${label("warn-version")}]: Invalid value: "1.2": must be "latest" or "v1.x"]`,
  )
})

test.each(["v1.0", "v1.36", "v1.9223372036854775807", "latest"])("%s is a version", (version) => {
  expect(policyOf({ [label("warn-version")]: version }, privilegedPolicy).errors).toEqual([])
})

test.each(["v1.01", "v2.0", "v1.", "1.36", "", "v1.9223372036854775808"])("%j is none", (version) => {
  expect(policyOf({ [label("warn-version")]: version }, privilegedPolicy).errors).toHaveLength(1)
})
