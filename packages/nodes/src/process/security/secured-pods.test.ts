import { type Container, events, type Pod, pods } from "@pilothouse/api/core/v1"
import { systemClock } from "@pilothouse/seams/system"
import { type Cluster, cluster } from "@pilothouse/testing"
import { describe, expect, test } from "vitest"
import { pod, start, status } from "../testing/process-pods.ts"
import { systemPowers } from "./system-powers.ts"

const powers = await systemPowers()
const isRoot = powers.uid === 0 && powers.canSetUser === true
const hasSetpriv = powers.setpriv !== undefined
/** Reasons for which a row is not tried here; vitest shows them with its name. */
const rootOnly = isRoot ? "" : " (skipped: only root may choose users)"
const setprivOnly = hasSetpriv ? "" : " (skipped: there is no setpriv here)"

describe("on a host that does what the test says", () => {
  test("runAsNonRoot was passed over, and the pod ran as root", async () => {
    const { host, running } = await start()
    await using _ = running
    await running.apply(pod({ securityContext: { runAsNonRoot: true } }))
    await running.settled()
    const { uid } = (await running.client.get(pods, "default/web")).metadata
    const message = `container has runAsNonRoot and image will run as root (pod: "web_default(${uid})", container: main)`
    expect((await status(running))?.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: "CreateContainerConfigError", message } })
    expect((await running.list(events)).filter(({ reason }) => reason === "Failed")).toMatchObject([
      { type: "Warning", message: `Error: ${message}` },
    ])
    expect(host.started).toEqual([])
  })

  test("its process has the user of its pod", async () => {
    const { host, running } = await start()
    await using _ = running
    await running.apply(pod({}, { securityContext: { runAsUser: 65_534 } }))
    await running.settled()
    expect(host.started.map(({ credentials }) => credentials)).toMatchObject([{ user: { uid: 65_534, gid: 65_533, groups: [] } }])
  })

  test("reports fields without effect when it starts", async () => {
    const { running } = await start()
    await using _ = running
    await running.apply(pod({ securityContext: { procMount: "Default" } }, { securityContext: { seLinuxOptions: { level: "s0" } } }))
    await running.settled()
    expect((await running.list(events)).filter(({ reason }) => reason === "SecurityContextIgnored")).toMatchObject([
      {
        type: "Warning",
        message: "Container main: seLinuxOptions, procMount of its securityContext have no effect on a process of this host",
      },
    ])
  })

  test("a host of which nothing is known keeps no securityContext", async () => {
    const { host } = await start()
    const { powers: _powers, ...others } = host
    await using running = await cluster({ controllers: [], exec: others })
    await running.apply(pod({ securityContext: { runAsUser: 65_534 } }))
    await running.settled()
    expect((await status(running))?.containerStatuses?.[0]?.state?.waiting?.reason).toBe("CreateContainerConfigError")
  })
})

/** What the main container of a pod on this very host prints until it ends. */
async function printed(spec: Partial<NonNullable<Pod["spec"]>>, container: Partial<Container> = {}): Promise<readonly string[]> {
  await using running = await cluster({ controllers: [], time: "real", exec: true })
  const script = "id -u; id -g; id -G; grep -E 'NoNewPrivs|CapBnd|CapEff' /proc/self/status; echo $HOME"
  await running.apply(pod({ command: ["sh", "-c", script], ...container }, { restartPolicy: "Never", ...spec }))
  await ended(running)
  const path = "/api/v1/namespaces/default/pods/web/log"
  const { body } = await running.transport({ verb: "GET", path, query: {}, headers: {} })
  return body.type === "bytes" ? new TextDecoder().decode(body.bytes).trim().split("\n") : expect.fail("expected a log")
}

async function ended(running: Cluster): Promise<void> {
  const isOver = async () => ["Succeeded", "Failed"].includes((await status(running))?.phase ?? "")
  while (!(await isOver())) await systemClock.sleep(20)
}

describe.runIf(process.platform === "linux")("on this host", () => {
  test.runIf(isRoot)(`a process runs as the user it is to${rootOnly}`, async () => {
    const lines = await printed({ securityContext: { runAsUser: 4711, runAsGroup: 4712 } })
    expect([...lines.slice(0, 3), lines.at(-1)]).toEqual(["4711", "4712", "4712", "/"])
  })

  test.runIf(isRoot && hasSetpriv)(`with the groups and without the rights that it is to have${rootOnly}${setprivOnly}`, async () => {
    const securityContext = { runAsUser: 4711, runAsGroup: 4712, fsGroup: 4713, supplementalGroups: [4714], runAsNonRoot: true }
    const lines = await printed(
      { securityContext },
      { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] } } },
    )
    expect(lines.map((line) => line.replace(/\s+/g, " ").trim())).toEqual([
      "4711",
      "4712",
      "4712 4713 4714",
      "CapEff: 0000000000000000",
      "CapBnd: 0000000000000400",
      "NoNewPrivs: 1",
      "/",
    ])
  })

  test.runIf(isRoot && hasSetpriv)(`root without capabilities${rootOnly}${setprivOnly}`, async () => {
    const lines = await printed({}, { securityContext: { capabilities: { drop: ["ALL"] } } })
    expect(lines.slice(0, 1)).toEqual(["0"])
    expect(lines.filter((line) => line.startsWith("Cap")).map((line) => line.split(/\s+/)[1])).toEqual(["0".repeat(16), "0".repeat(16)])
  })

  test.runIf(!isRoot && hasSetpriv)(
    `an ordinary user keeps to what it is, and gains nothing${isRoot ? " (skipped: this is root)" : ""}`,
    async () => {
      const lines = await printed(
        { securityContext: { runAsUser: powers.uid, runAsNonRoot: true } },
        { securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } },
      )
      expect(lines[0]).toBe(String(powers.uid))
      expect(lines.map((line) => line.replace(/\s+/g, " "))).toContain("NoNewPrivs: 1")
    },
  )

  test.runIf(hasSetpriv)(`reports a missing program as without setpriv${setprivOnly}`, async () => {
    await using running = await cluster({ controllers: [], time: "real", exec: true })
    await running.apply(pod({ command: ["/nowhere/at/all"], securityContext: { allowPrivilegeEscalation: false } }))
    const waiting = async () => (await status(running))?.containerStatuses?.[0]?.state?.waiting
    while ((await waiting())?.message === undefined) await systemClock.sleep(20)
    expect(await waiting()).toEqual({
      reason: "RunContainerError",
      message: "cannot start /nowhere/at/all: spawn /nowhere/at/all ENOENT",
    })
  })
})
