import { expect, test } from "vitest"
import { Life, simulatedPod } from "../testing/pods.ts"
import { pullFault } from "./image-rules.ts"

const notFound = (whole: string) =>
  `failed to pull and unpack image "${whole}": failed to resolve reference "${whole}": ${whole}: not found`

/** The image, what the pod's annotation says, and why it cannot be pulled. */
const rows: readonly [string, string, string | undefined, string | undefined][] = [
  ["a good one", "nginx:1.29", undefined, undefined],
  ["a name that says it is not there", "does-not-exist", undefined, notFound("docker.io/library/does-not-exist:latest")],
  ["another such name", "example/nonexistent", undefined, notFound("docker.io/example/nonexistent:latest")],
  ["a tag that says so", "registry.test:5000/web:404", undefined, notFound("registry.test:5000/web:404")],
  ["a registry of this host", "localhost/doesnotexist", undefined, notFound("localhost/doesnotexist:latest")],
  ["a digest in place of a tag", "doesnotexist@sha256:0", undefined, notFound("docker.io/library/doesnotexist@sha256:0")],
  ["a number that is no tag", "port404/web:1404", undefined, undefined],
  ["a good one that is to fail", "nginx", "true", notFound("docker.io/library/nginx:latest")],
  ["a good one that is to fail in other words", "nginx", "no room", "no room"],
  ["a good one that is not to fail", "nginx", "false", undefined],
  ["a bad name that is not to fail", "does-not-exist", "false", undefined],
]

test.each(rows)("%s", (_name, image, says, expected) => {
  const pod = simulatedPod({ containers: [{ image }], says: says === undefined ? {} : { "pull-error": says } })
  expect(pullFault(pod, pod.spec!.containers[0]!)).toBe(expected)
})

test("the annotation of one container is for that one", () => {
  const pod = simulatedPod({ containers: [{}, {}], says: { "pull-error.b": "true" } })
  expect(pod.spec?.containers.map((container) => pullFault(pod, container) !== undefined)).toEqual([false, true])
})

test.each([
  ["right after it failed", 1, "ErrImagePull"],
  ["while its next pull is waited for", 20, "ImagePullBackOff"],
])("an image that comes %s is pulled, and its container runs", (_when, seconds, before) => {
  const life = new Life(simulatedPod({ containers: [{ image: "web:404" }] })).until(seconds)
  expect(life.summary).toBe(`Pending a:${before}`)
  life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "web:1" }] } }
  expect(life.until(seconds + 1).summary).toBe("Running a:ready")
})

test("a container that runs and is given an image that cannot be pulled ran on with it", () => {
  const life = new Life(simulatedPod({ containers: [{ image: "web:1" }] })).until(5)
  const give = (image: string) => {
    life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image }] } }
  }
  give("web:404")
  expect(life.until(6).summary).toBe("Running a:ErrImagePull")
  expect(life.pod.status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(143)
  expect(life.until(20).summary).toBe("Running a:ImagePullBackOff")
  give("web:2")
  expect(life.until(21).summary).toBe("Running a:ready/1")
})

test("a container that ends and starts again needs no image that it has", () => {
  const says = { "run-time": "1s", "exit-code": "1" }
  const life = new Life(simulatedPod({ containers: [{ image: "web:1" }], says })).until(0)
  life.pod = {
    ...life.pod,
    metadata: { ...life.pod.metadata, annotations: { ...life.pod.metadata.annotations, "pilothouse.dev/pull-error": "true" } },
  }
  expect(life.until(1).summary).toBe("Running a:ready/1")
})
