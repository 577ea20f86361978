import { expect, test } from "vitest"
import { Life, simulatedPod } from "../testing/pods.ts"
import { imageNameFault } from "./image-rules.ts"

const format = "invalid reference format"
const sum = "0123456789abcdef".repeat(4)

test.each([
  "nginx",
  "nginx:1.29",
  "library/my__app-one--two.three:V1",
  "registry.test:5000/team/web:1@sha256:" + sum,
  "localhost/web",
  "Registry/web",
  "[::1]:5000/web",
  "index.docker.io/nginx",
  `nginx@sha256:${sum}`,
  "",
])("%j can be read", (image) => {
  expect(imageNameFault(image)).toBeUndefined()
})

test.each<[image: string, fault: string]>([
  ["UPPER CASE::bad", `${format}: repository name (library/UPPER CASE) must be lowercase`],
  ["team/Web:1", `${format}: repository name (team/Web) must be lowercase`],
  ["https://web", format],
  ["nginx:", format],
  ["nginx::1", format],
  ["a b", format],
  ["web:1:2", format],
  ["/web", format],
  ["library//web", format],
  ["web@sha256:0", format],
  [`web:${"x".repeat(129)}`, format],
  [sum, `invalid repository name (${sum}), cannot specify 64-byte hexadecimal strings`],
  ["a".repeat(256), "repository name must not be more than 255 characters"],
])("%j cannot be read", (image, fault) => {
  expect(imageNameFault(image)).toBe(`Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${fault}`)
})

test("a container whose image cannot be read never runs and says so, until it has another", () => {
  const life = new Life(simulatedPod({ containers: [{ image: "UPPER CASE::bad" }, {}], says: { "pull-error": "false" } })).until(9999)
  expect(life.summary).toBe("Pending a:InvalidImageName b:ready")
  const message = imageNameFault("UPPER CASE::bad")
  expect(life.pod.status?.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: "InvalidImageName", message } })
  expect(life.told.filter((line) => line.startsWith("Warning"))).toEqual(["Warning InspectFailed", "Warning Failed"])
  const [, other] = life.pod.spec!.containers
  life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "web:1" }, other!] } }
  expect(life.until(10_000).summary).toBe("Running a:ready b:ready")
})

test("an image that could not be pulled and is replaced by one that cannot be read", () => {
  const life = new Life(simulatedPod({ containers: [{ image: "web:404" }] })).until(20)
  life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "Web:1" }] } }
  expect(life.until(21).summary).toBe("Pending a:InvalidImageName")
})

test("a container that runs and is given an image that cannot be read ran on with it", () => {
  const life = new Life(simulatedPod({ containers: [{ image: "web:1" }] })).until(5)
  life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "Web:1" }] } }
  expect(life.until(6).summary).toBe("Running a:InvalidImageName")
  life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "web:2" }] } }
  expect(life.until(7).summary).toBe("Running a:ready/1")
})
