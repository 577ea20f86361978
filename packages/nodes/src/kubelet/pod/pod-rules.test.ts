import { describe, expect, test } from "vitest"
import { Life, type PodFacts, sh, simulatedPod } from "../testing/pods.ts"

/** What a pod is, and what it looks like after so many seconds. */
const rows: readonly [string, PodFacts, ...[number, string][]][] = [
  ["a server runs for ever", {}, [0, "Running a:ready"], [1e6, "Running a:ready"]],
  ["two containers", { containers: [{}, {}] }, [0, "Running a:ready b:ready"]],
  [
    "a slow start",
    { says: { "start-time": "3s" } },
    [0, "Pending a:ContainerCreating"],
    [2, "Pending a:ContainerCreating"],
    [3, "Running a:ready"],
  ],
  ["ready after a while", { says: { "ready-delay": "5s" } }, [0, "Running a:running"], [4, "Running a:running"], [5, "Running a:ready"]],
  [
    "a readiness probe with a delay",
    { containers: [{ readinessProbe: { initialDelaySeconds: 7 } }] },
    [6, "Running a:running"],
    [7, "Running a:ready"],
  ],
  [
    "a startup probe, then a readiness probe",
    { containers: [{ startupProbe: { initialDelaySeconds: 2 }, readinessProbe: { initialDelaySeconds: 3 } }] },
    [2, "Running a:running"],
    [3, "Running a:ready"],
  ],
  [
    "a readiness probe that has to wait for the startup probe",
    { containers: [{ startupProbe: { initialDelaySeconds: 5 }, readinessProbe: { initialDelaySeconds: 3 } }] },
    [4, "Running a:running"],
    [5, "Running a:ready"],
  ],
  [
    "ready a while after it has started",
    { containers: [{ startupProbe: { initialDelaySeconds: 5 } }], says: { "ready-delay": "3s" } },
    [7, "Running a:running"],
    [8, "Running a:ready"],
  ],
  ["one container that says otherwise", { containers: [{}, {}], says: { "ready.b": "false" } }, [0, "Running a:ready b:running"]],
  [
    "ready, then not, then again",
    { says: { ready: "0s=true,60s=false,90s=true" } },
    [59, "Running a:ready"],
    [60, "Running a:running"],
    [90, "Running a:ready"],
  ],
  ["Never: ends well", { restartPolicy: "Never", containers: [sh("sleep 5")] }, [4, "Running a:ready"], [5, "Succeeded a:exit 0"]],
  ["Never: ends badly", { restartPolicy: "Never", containers: [sh("sleep 5; exit 3")] }, [5, "Failed a:exit 3"]],
  [
    "Never: waits for all containers",
    { restartPolicy: "Never", containers: [sh("exit 1"), sh("sleep 9")] },
    [8, "Running a:exit 1 b:ready"],
    [9, "Failed a:exit 1 b:exit 0"],
  ],
  [
    "by annotation",
    { restartPolicy: "Never", says: { "run-time": "30s", "exit-code": "2" } },
    [29, "Running a:ready"],
    [30, "Failed a:exit 2"],
  ],
  ["an exit code alone ends at once", { restartPolicy: "Never", says: { "exit-code": "2" } }, [0, "Failed a:exit 2"]],
  [
    "the annotation is stronger than the command",
    { restartPolicy: "Never", containers: [sh("sleep 5")], says: { "run-time": "forever" } },
    [99, "Running a:ready"],
  ],
  ["a Job's pod has done its work at once", { restartPolicy: "Never", ofJob: true }, [0, "Succeeded a:exit 0"]],
  [
    "a Job's pod with a command",
    { restartPolicy: "Never", ofJob: true, containers: [sh("sleep 5; exit 1")] },
    [4, "Running a:ready"],
    [5, "Failed a:exit 1"],
  ],
  ["OnFailure: ends well", { restartPolicy: "OnFailure", containers: [sh("exit 0")] }, [0, "Succeeded a:exit 0"]],
  [
    "OnFailure: is started again",
    { restartPolicy: "OnFailure", containers: [sh("sleep 5; exit 1")] },
    [5, "Running a:ready/1"],
    [10, "Running a:CrashLoopBackOff/1"],
  ],
  [
    "Always: once more at once, then after 10 s, 20 s, 40 s",
    { containers: [sh("exit 1")] },
    [0, "Running a:CrashLoopBackOff/1"],
    [9, "Running a:CrashLoopBackOff/1"],
    [10, "Running a:CrashLoopBackOff/2"],
    [29, "Running a:CrashLoopBackOff/2"],
    [30, "Running a:CrashLoopBackOff/3"],
    [70, "Running a:CrashLoopBackOff/4"],
  ],
  [
    "Always: also after a good end",
    { containers: [sh("sleep 5")] },
    [5, "Running a:ready/1"],
    [10, "Running a:CrashLoopBackOff/1"],
    [20, "Running a:ready/2"],
  ],
  [
    "a long run is forgiven what was before it",
    { containers: [sh("sleep 600")] },
    [600, "Running a:ready/1"],
    [1200, "Running a:ready/2"],
    [1800, "Running a:ready/3"],
  ],
  [
    "a liveness probe that fails",
    { says: { alive: "0s=true,20s=false" } },
    [19, "Running a:ready"],
    [20, "Running a:ready/1"],
    [40, "Running a:CrashLoopBackOff/1"],
    [50, "Running a:ready/2"],
  ],
  [
    "an image that is not there",
    { containers: [{ image: "example/does-not-exist" }] },
    [0, "Pending a:ErrImagePull"],
    [1, "Pending a:ErrImagePull"],
    [2, "Pending a:ImagePullBackOff"],
    [9999, "Pending a:ImagePullBackOff"],
  ],
  [
    "an image that was not there was never pulled again",
    { containers: [{ image: "example/does-not-exist" }] },
    [9, "Pending a:ImagePullBackOff"],
    [10, "Pending a:ErrImagePull"],
    [12, "Pending a:ImagePullBackOff"],
    [29, "Pending a:ImagePullBackOff"],
    [30, "Pending a:ErrImagePull"],
    [609, "Pending a:ImagePullBackOff"],
    [610, "Pending a:ErrImagePull"],
  ],
  [
    "a pull counts from when it was its turn, not from the pod's start",
    { initContainers: [{ name: "x", image: "i", command: ["sleep", "25"] }], containers: [{ image: "web:404" }] },
    [25, "Pending x:exit 0 a:ErrImagePull"],
    [27, "Pending x:exit 0 a:ImagePullBackOff"],
    [34, "Pending x:exit 0 a:ImagePullBackOff"],
    [35, "Pending x:exit 0 a:ErrImagePull"],
  ],
  ["a tag that is not there beside one that is", { containers: [{ image: "web:404" }, {}] }, [0, "Pending a:ErrImagePull b:ready"]],
  ["a pull that fails because it should", { says: { "pull-error": "no room" } }, [0, "Pending a:ErrImagePull"]],
  ["a deadline", { activeDeadlineSeconds: 30 }, [29, "Running a:ready"], [30, "Failed a:exit 137"]],
]

test.each(rows)("%s", (_name, facts, ...moments) => {
  const life = new Life(simulatedPod(facts))
  expect(moments.map(([seconds]) => [seconds, life.until(seconds).summary])).toEqual(moments)
})

describe("init containers and sidecars", () => {
  const init = (name: string, script: string, restartPolicy?: "Always") => ({
    name,
    image: "i",
    command: ["sh", "-c", script],
    restartPolicy,
  })

  test("run one after the other, then the others", () => {
    const life = new Life(simulatedPod({ initContainers: [init("x", "sleep 2"), init("y", "sleep 3")] }))
    expect(life.summary).toBe("Pending x:ready y:PodInitializing a:PodInitializing")
    expect(life.condition("Initialized")).toBe("False ContainersNotInitialized containers with incomplete status: [x y]")
    expect(life.until(2).summary).toBe("Pending x:exit 0 y:ready a:PodInitializing")
    expect(life.until(5).summary).toBe("Running x:exit 0 y:exit 0 a:ready")
    expect(life.condition("Initialized")).toBe("True")
  })

  test("one that fails for good takes the pod with it", () => {
    const life = new Life(simulatedPod({ restartPolicy: "Never", initContainers: [init("x", "exit 1")] }))
    expect(life.summary).toBe("Failed x:exit 1 a:PodInitializing")
  })

  test("one that fails is started again where that is wanted", () => {
    const life = new Life(simulatedPod({ initContainers: [init("x", "exit 1")] }))
    expect(life.summary).toBe("Pending x:CrashLoopBackOff/1 a:PodInitializing")
  })

  test("a sidecar goes on beside the others, and ends after them", () => {
    const facts = {
      restartPolicy: "Never" as const,
      initContainers: [init("x", "sleep infinity", "Always"), init("y", "sleep 1")],
      containers: [sh("sleep 3")],
    }
    const life = new Life(simulatedPod(facts))
    expect(life.summary).toBe("Pending x:ready y:ready a:PodInitializing")
    expect(life.until(1).summary).toBe("Running x:ready y:exit 0 a:ready")
    expect(life.until(4).summary).toBe("Succeeded x:exit 0 y:exit 0 a:exit 0")
  })
})

describe("a pod that is deleted", () => {
  test("has ended before it goes, at once where nothing holds it", () => {
    const life = new Life(simulatedPod()).delete()
    expect([life.summary, life.removed, life.told.at(-1)]).toEqual(["Failed a:exit 143", true, "Normal Killing"])
  })

  test("takes as long as its containers need", () => {
    const life = new Life(simulatedPod({ says: { "stop-time": "12s" } })).delete()
    expect([life.summary, life.removed, life.due! - life.now]).toEqual(["Running a:ready", false, 12_000])
    life.until(12)
    expect([life.summary, life.removed]).toEqual(["Failed a:exit 143", true])
    expect(life.told.filter((event) => event === "Normal Killing")).toHaveLength(1)
  })

  test("did not sleep before it stopped, as its preStop hook says", () => {
    const sleepy = { lifecycle: { preStop: { sleep: { seconds: 5 } } } }
    const life = new Life(simulatedPod({ containers: [sleepy, {}], says: { "stop-time": "2s" } })).delete()
    expect(life.until(6).removed).toBe(false)
    expect([life.until(7).summary, life.removed]).toEqual(["Failed a:exit 143 b:exit 143", true])
  })

  test("is killed when its grace is over", () => {
    const life = new Life(simulatedPod({ says: { "stop-time": "5m" } })).delete(10)
    expect(life.until(9).removed).toBe(false)
    expect([life.until(10).summary, life.removed]).toEqual(["Failed a:exit 137", true])
  })

  test("before it had started says so", () => {
    const life = new Life(simulatedPod({ says: { "start-time": "1m" } })).delete()
    expect(life.pod.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137, reason: "ContainerStatusUnknown" })
  })

  test("and is only held by a finalizer is not asked for again", () => {
    const life = new Life(simulatedPod()).delete(0)
    expect([life.summary, life.removed]).toEqual(["Failed a:exit 143", false])
  })
})

describe("what a status says", () => {
  test("of a pod that runs", () => {
    const { pod } = new Life(simulatedPod({ containers: [{ resources: { requests: { cpu: "1" } } }] }))
    expect(pod.status).toMatchObject({
      phase: "Running",
      observedGeneration: 1,
      hostIP: "10.240.0.1",
      hostIPs: [{ ip: "10.240.0.1" }],
      podIP: "10.244.1.1",
      podIPs: [{ ip: "10.244.1.1" }],
      startTime: "2026-01-05T09:00:00Z",
    })
    expect(pod.status?.conditions?.map(({ type, status, observedGeneration }) => [type, status, observedGeneration])).toEqual([
      ["PodReadyToStartContainers", "True", 1],
      ["Initialized", "True", 1],
      ["Ready", "True", 1],
      ["ContainersReady", "True", 1],
    ])
    expect(pod.status?.containerStatuses).toEqual([
      {
        name: "a",
        image: "i",
        imageID: "simulated://i",
        containerID: "simulated://u/a/0",
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: "2026-01-05T09:00:00Z" } },
        allocatedResources: { cpu: "1" },
        resources: { requests: { cpu: "1" } },
      },
    ])
  })

  test("of a container that fails again and again", () => {
    const status = new Life(simulatedPod({ containers: [sh("exit 1")] })).pod.status?.containerStatuses?.[0]
    expect(status?.state?.waiting).toEqual({
      reason: "CrashLoopBackOff",
      message: "back-off 10s restarting failed container=a pod=web_default(u)",
    })
    expect(status?.lastState?.terminated).toMatchObject({ exitCode: 1, reason: "Error", containerID: "simulated://u/a/1" })
  })

  test("of why a pod is not ready", () => {
    expect(new Life(simulatedPod({ containers: [{}, {}], says: { "ready.b": "false" } })).condition("Ready")).toBe(
      "False ContainersNotReady containers with unready status: [b]",
    )
    expect(new Life(simulatedPod({ restartPolicy: "Never", containers: [sh("exit 0")] })).condition("Ready")).toBe("False PodCompleted")
    expect(new Life(simulatedPod({ restartPolicy: "Never", containers: [sh("exit 1")] })).condition("Ready")).toBe("False PodFailed")
  })

  test("of a deadline that is over", () => {
    const { status } = new Life(simulatedPod({ activeDeadlineSeconds: 5 })).until(5).pod
    expect([status?.reason, status?.message]).toEqual(["DeadlineExceeded", "Pod was active on the node longer than the specified deadline"])
  })

  test("readiness gates are opened by others", () => {
    const life = new Life(simulatedPod({ readinessGates: [{ conditionType: "example.org/lb" }] }))
    expect(life.condition("Ready")).toBe(
      'False ReadinessGatesNotReady corresponding condition of pod readiness gate "example.org/lb" does not exist.',
    )
    life.pod = { ...life.pod, status: { ...life.pod.status, conditions: [{ type: "example.org/lb", status: "True" }] } }
    expect(life.until(1).condition("Ready")).toBe("True")
  })

  test("a pull that fails has a reason that people know", () => {
    const { status } = new Life(simulatedPod({ containers: [{ image: "web:404" }] })).until(9).pod
    expect(status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      'Back-off pulling image "web:404": ErrImagePull: failed to pull and unpack image "docker.io/library/web:404": failed to resolve reference "docker.io/library/web:404": docker.io/library/web:404: not found',
    )
  })
})

describe("events", () => {
  const pullFails = ["Normal Pulling", "Warning Failed", "Warning Failed", "Normal BackOff", "Warning Failed"]

  test.each<[string, PodFacts, number, readonly string[]]>([
    ["of a start", {}, 0, ["Normal Pulled", "Normal Created", "Normal Started"]],
    [
      "of a pull",
      { containers: [{ imagePullPolicy: "Always" }] },
      0,
      ["Normal Pulling", "Normal Pulled", "Normal Created", "Normal Started"],
    ],
    ["of a pull that fails", { containers: [{ image: "x:404" }] }, 9, pullFails],
    ["of each pull that fails", { containers: [{ image: "x:404" }] }, 12, [...pullFails, ...pullFails]],
    ["of a deadline", { says: { "start-time": "1m" }, activeDeadlineSeconds: 5 }, 5, ["Normal DeadlineExceeded"]],
  ])("%s", (_name, facts, seconds, told) => {
    expect(new Life(simulatedPod(facts)).until(seconds).told).toEqual(told)
  })

  test("of a probe that fails", () => {
    const life = new Life(simulatedPod({ says: { ready: "0s=true,5s=false" } })).until(5)
    expect(life.told.at(-1)).toBe("Warning Unhealthy")
  })

  test("of a restart that has to wait", () => {
    expect(new Life(simulatedPod({ containers: [sh("exit 1")] })).told.at(-1)).toBe("Warning BackOff")
  })
})

test("a changed image restarts the container", () => {
  const life = new Life(simulatedPod())
  life.pod = { ...life.pod, spec: { ...life.pod.spec, containers: [{ name: "a", image: "j" }] } }
  expect(life.until(1).summary).toBe("Running a:ready/1")
  expect(life.pod.status?.containerStatuses?.[0]?.image).toBe("j")
})

test("what others say of a pod stands until something happens to it", () => {
  const life = new Life(simulatedPod({ says: { ready: "0s=true,60s=false,90s=true" } }))
  life.pod = { ...life.pod, status: { ...life.pod.status, conditions: [{ type: "Ready", status: "False", reason: "Other" }] } }
  expect(life.until(59).condition("Ready")).toBe("False Other")
  expect(life.until(90).condition("Ready")).toBe("True")
})

test("resources that are changed are given to the container as it runs", () => {
  const life = new Life(simulatedPod())
  const resources = { requests: { cpu: "2" } }
  const { metadata, spec } = life.pod
  life.pod = {
    ...life.pod,
    metadata: { ...metadata, generation: 2 },
    spec: { ...spec, containers: [{ name: "a", image: "i", resources }] },
  }
  const [status] = life.until(1).pod.status?.containerStatuses ?? []
  expect([status?.restartCount, status?.allocatedResources, status?.resources]).toEqual([0, { cpu: "2" }, resources])
})

test("an ephemeral container runs beside the others, once", () => {
  const life = new Life(simulatedPod())
  const { metadata, spec } = life.pod
  const ephemeralContainers = [{ name: "debug", image: "busybox", command: ["sleep", "5"] }]
  life.pod = { ...life.pod, metadata: { ...metadata, generation: 2 }, spec: { containers: [], ...spec, ephemeralContainers } }
  const state = () => life.pod.status?.ephemeralContainerStatuses?.[0]?.state
  expect(life.until(1) && state()).toMatchObject({ running: {} })
  expect(life.until(20) && state()).toMatchObject({ terminated: { exitCode: 0 } })
  expect(life.summary).toBe("Running a:ready")
})

test("a container's own rules restart it where its pod would not", () => {
  const restartPolicyRules = [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }] as const
  const again = new Life(simulatedPod({ restartPolicy: "Never", containers: [{ ...sh("sleep 5; exit 42"), restartPolicyRules }] }))
  expect(again.until(5).summary).toBe("Running a:ready/1")
  const not = new Life(simulatedPod({ restartPolicy: "Never", containers: [{ ...sh("sleep 5; exit 1"), restartPolicyRules }] }))
  expect(not.until(5).summary).toBe("Failed a:exit 1")
})

describe("a pod of more containers than a simulated node runs", () => {
  const pod = (count: number) => {
    const made = simulatedPod()
    return { ...made, spec: { ...made.spec, containers: Array.from({ length: count }, (_, at) => ({ name: `c${at}`, image: "i" })) } }
  }

  test("250 containers run", () => {
    expect(new Life(pod(250)).until(1).pod.status).toMatchObject({ phase: "Running" })
  })

  test("251 stay pending, with one event and no statuses", () => {
    const life = new Life(pod(251)).until(60)
    life.look()
    expect(life.pod.status).toMatchObject({ phase: "Pending", message: "expected at most 250 containers, found 251" })
    expect(life.pod.status?.containerStatuses).toBeUndefined()
    expect(life.told).toEqual(["Warning FailedCreatePodSandBox"])
  })

  test("it goes when it is deleted", () => {
    const made = pod(251)
    const metadata = { ...made.metadata, deletionTimestamp: "2026-01-05T09:00:30Z", deletionGracePeriodSeconds: 30 }
    expect(new Life({ ...made, metadata }).removed).toBe(true)
  })
})
