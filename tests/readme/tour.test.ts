import { expect, test } from "vitest"
import { comparable, tourSteps } from "./tour.ts"

test("commands and their output are read from console blocks only", () => {
  const readme = "```sh\n$ not this\n```\ntext\n```console\n$ kubectl get pods\nNAME\nweb\n$ true\n```\n"
  expect(tourSteps(readme)).toEqual([
    { command: "kubectl get pods", output: "NAME\nweb" },
    { command: "true", output: "" },
  ])
})

test("what differs from run to run is the same after comparable()", () => {
  const one = "web-5f7d8c9b4d-x2k4z   1/1     Running   0          3s"
  const other = "web-6c4f5d7b8-zzzzz    1/1  Running   0   250ms"
  expect(comparable(one)).toBe(comparable(other))
})

test("what matters stays different", () => {
  expect(comparable("web  3/3")).not.toBe(comparable("web  2/3"))
})
