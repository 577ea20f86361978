import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { behaviourOf } from "../behaviour/behaviour.ts"
import { Life, nine, simulatedPod } from "../testing/pods.ts"
import type { ProcessFacts } from "./process-facts.ts"
import { stepContainer } from "./step-container.ts"

const now = nine + 60_000
const well: ProcessFacts = { startedAt: nine, started: true, ready: true }

interface Given {
  readonly container?: Partial<Container>
  readonly spec?: Partial<Pod["spec"] & object>
}

/** One step of a container that runs since nine, whose process has these facts; undefined: there is none. */
function look(facts: Partial<ProcessFacts> | undefined, { container = {}, spec = {} }: Given = {}) {
  const { pod } = new Life(simulatedPod({ ...spec, containers: [{ image: "process", ...container }] }))
  const [status]: readonly ContainerStatus[] = pod.status?.containerStatuses ?? []
  const run = (_name: string, number: number) => (number === 0 && facts !== undefined ? { ...well, ...facts } : undefined)
  const whole = { ...pod, status: { ...pod.status, podIP: "127.116.1.1" } }
  const view = {
    pod: whole,
    container: whole.spec!.containers[0]!,
    status: status!,
    behaviour: behaviourOf(pod, { name: "a" }),
    mayStartAt: nine,
  }
  return stepContainer({ ...view, process: { isUnlisted: false, run } }, now)
}

const reasons = (stepped: ReturnType<typeof look>) => stepped.events.map(({ type, reason }) => `${type} ${reason}`)

describe("a process that says its port is taken", () => {
  const portTaken = "listen tcp 0.0.0.0:80: bind: address already in use"

  test("and ends for that", () => {
    const stepped = look({ portTaken, ended: { at: now, exitCode: 1 } })
    expect(reasons(stepped)).toContain("Warning PortTaken")
    expect(stepped.events.find(({ reason }) => reason === "PortTaken")?.message).toBe(
      `Container a ended because its port was taken ("${portTaken}"): let it listen on $POD_IP (127.116.1.1), which is its pod's own, not on 0.0.0.0`,
    )
  })

  test("and found another one: it ended well in the end", () => {
    expect(reasons(look({ portTaken, ended: { at: now, exitCode: 0 } }))).not.toContain("Warning PortTaken")
  })
})

test("a process that is no longer known has ended, and is started again", () => {
  const { status, order } = look(undefined)
  expect(status.state?.terminated).toMatchObject({ exitCode: 137, reason: "ContainerStatusUnknown" })
  expect(order).toMatchObject({ do: "start-process", container: "a", run: 1 })
})

test("failed probes become events, and then it is not ready any more", () => {
  const text = "Readiness probe failed: connection refused"
  const stepped = look({ ready: false, complaints: [{ number: 3, text }] })
  expect(stepped.events).toEqual([{ type: "Warning", reason: "Unhealthy", message: text }])
  expect(stepped.order).toMatchObject({ do: "acknowledge-process", run: 0, upTo: 3 })
  expect(look({ ready: false, complaints: [] }).status.ready).toBe(false)
})

describe("a process that does not live any more is stopped", () => {
  const livenessProbe = { tcpSocket: { port: 80 } }

  test.each<[string, Given, number]>([
    ["with half a minute by default", { container: { livenessProbe } }, 30_000],
    ["with the grace of its pod", { container: { livenessProbe }, spec: { terminationGracePeriodSeconds: 7 } }, 7000],
    [
      "with that of its probe",
      { container: { livenessProbe: { ...livenessProbe, terminationGracePeriodSeconds: 3 } }, spec: { terminationGracePeriodSeconds: 7 } },
      3000,
    ],
    ["with two seconds at least", { container: { livenessProbe }, spec: { terminationGracePeriodSeconds: 0 } }, 2000],
  ])("%s", (_name, given, grace) => {
    const stepped = look({ failed: "liveness" }, given)
    expect(stepped.order).toMatchObject({ do: "stop-process", run: 0, killAt: now + grace })
    expect(stepped.events.map(({ message }) => message)).toEqual(["Container a failed liveness probe, will be restarted"])
  })

  test("the failure of a startup probe was called one of the liveness probe, and had its grace", () => {
    const startupProbe = { ...livenessProbe, terminationGracePeriodSeconds: 3 }
    const stepped = look({ failed: "startup" }, { container: { livenessProbe, startupProbe } })
    expect(stepped.order).toMatchObject({ do: "stop-process", killAt: now + 3000 })
    expect(stepped.events.map(({ message }) => message)).toEqual(["Container a failed startup probe, will be restarted"])
  })

  test("a restart was promised that never came", () => {
    const stepped = look({ failed: "liveness" }, { container: { livenessProbe }, spec: { restartPolicy: "Never" } })
    expect(stepped.events.map(({ message }) => message)).toEqual(["Container a failed liveness probe"])
  })

  test("once", () => {
    expect(look({ failed: "liveness", killAt: now + 1000 }).order).toBeUndefined()
  })
})
