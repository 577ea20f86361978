import { VirtualClock, virtualFiles } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { schedulerProfiles } from "./scheduler-profiles.ts"

const kind = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

test("the profiles of a file", () => {
  const files = virtualFiles(new VirtualClock())
  files.write("/s.yaml", `${kind}profiles: [{schedulerName: a}, {schedulerName: b}]\n`)
  expect(schedulerProfiles(files, "/s.yaml").map(({ schedulerName }) => schedulerName)).toEqual(["a", "b"])
})

test.each<[what: string, text: string | undefined, message: string]>([
  ["no file", undefined, "--scheduler-config: expected a file at /s.yaml, found none"],
  ["no YAML", "a: [", "--scheduler-config /s.yaml: "],
  ["another kind", "kind: Pod\napiVersion: v1\n", "--scheduler-config /s.yaml: expected a KubeSchedulerConfiguration"],
])("%s is refused as wrong usage", (_what, text, message) => {
  const files = virtualFiles(new VirtualClock())
  if (text !== undefined) files.write("/s.yaml", text)
  expect(() => schedulerProfiles(files, "/s.yaml")).toThrow(
    expect.objectContaining({ code: "USAGE", message: expect.stringContaining(message) }),
  )
})
