import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Attempt, Row } from "./row.ts"
import { isTrueWithin } from "./waiting.ts"

const pods = "/api/v1/namespaces/default/pods"
/** Milliseconds. */
const podTime = 20_000

interface PodState {
  readonly phase: string
  /** Why its container waits or ended. */
  readonly reason: string
  readonly log: string
}

/** Runs a command in a process pod until it ends or is refused. */
async function runPod(attempt: Attempt, name: string, script: string, container: object, spec: object = {}): Promise<PodState> {
  const command = ["sh", "-c", script]
  const created = await attempt.admin.create(pods, {
    metadata: { name },
    spec: { restartPolicy: "Never", ...spec, containers: [{ name: "c", image: "process", command, ...container }] },
  })
  attempt.expectStatus(`the pod ${name}`, created, 201)
  let state: PodState = { phase: "", reason: "", log: "" }
  await isTrueWithin(async () => {
    const { status } = JSON.parse((await attempt.admin.send({ path: `${pods}/${name}` })).text)
    const { waiting, terminated } = status?.containerStatuses?.[0]?.state ?? {}
    state = { ...state, phase: status?.phase ?? "", reason: waiting?.reason ?? terminated?.reason ?? status?.reason ?? "" }
    return terminated !== undefined || /Config|Error/.test(state.reason) || state.phase === "Failed"
  }, podTime)
  const { text } = await attempt.admin.send({ path: `${pods}/${name}/log` })
  return { ...state, log: text }
}

/** What a security context promises is kept, or the container is not started. */
async function securityContext(attempt: Attempt): Promise<void> {
  const promises: readonly (readonly [name: string, context: object, script: string, broken: RegExp])[] = [
    ["user", { runAsUser: 65_534 }, "id -u", /^\s*0\s*$/m],
    ["group", { runAsUser: 65_534, runAsGroup: 65_534 }, "id -g", /^\s*0\s*$/m],
    ["non-root", { runAsNonRoot: true }, "id -u", /^\s*0\s*$/m],
    ["non-root-user-0", { runAsNonRoot: true, runAsUser: 0 }, "id -u", /^\s*0\s*$/m],
    ["no-new-privileges", { allowPrivilegeEscalation: false }, "grep NoNewPrivs /proc/self/status", /NoNewPrivs:\s+0/],
  ]
  for (const [name, securityContext, script, broken] of promises) {
    const state = await runPod(attempt, name, script, { securityContext })
    attempt.expect(!broken.test(state.log), `${JSON.stringify(securityContext)} to be kept or refused`, `${state.reason} ${state.log}`)
    const isOver = state.phase === "Succeeded" || /CreateContainerConfigError|CreateContainerError|RunContainerError/.test(state.reason)
    attempt.expect(isOver, `the pod ${name} to run or to be refused`, state)
  }
  const podContext = await runPod(attempt, "pod-user", "id -u", {}, { securityContext: { runAsUser: 65_534, runAsNonRoot: true } })
  attempt.expect(!/^\s*0\s*$/m.test(podContext.log), "the pod's security context to be kept or refused", podContext)
}

/** A process that leaves the process group of its container ends with the pod all the same. */
async function daemons(attempt: Attempt): Promise<void> {
  const marker = `${300_000 + (process.pid % 100_000)}`
  const script = `setsid sleep ${marker} & (setsid sh -c 'sleep ${marker} & sleep ${marker}' &) ; sleep 600`
  const command = ["sh", "-c", script]
  const metadata = { name: "daemon" }
  await attempt.admin.create(pods, { metadata, spec: { containers: [{ name: "c", image: "process", command }] } })
  const running = () => sleepers(marker).length
  attempt.expect(await isTrueWithin(() => running() >= 3, podTime), "three processes that left their group", running())
  await attempt.admin.send({ method: "DELETE", path: `${pods}/daemon?gracePeriodSeconds=1` })
  const ended = await isTrueWithin(() => running() === 0, podTime)
  attempt.expect(ended, "every process of a deleted pod to end", `${running()} that run`)
  for (const pid of sleepers(marker)) process.kill(pid, "SIGKILL")
}

/** Processes whose command is that of our daemon. */
function sleepers(marker: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8") === `sleep\0${marker}\0`
      } catch {
        // It ended in the meantime.
        return false
      }
    })
    .map(Number)
}

/** Neither our descriptors nor our environment reach a process pod. */
async function inheritance(attempt: Attempt): Promise<void> {
  const { log } = await runPod(attempt, "descriptors", "ls /proc/self/fd; echo; env", {})
  const [descriptors = "", environment = ""] = log.split("\n\n")
  const numbers = descriptors.split("\n").filter((line) => /^\d+$/.test(line))
  // Three streams, and the directory that ls reads.
  attempt.expect(numbers.length <= 4 && numbers.length > 0, "three streams and nothing else", numbers)
  const allowed = /^(PATH|HOME|HOST|LANG|TMPDIR|TZ|PWD|SHLVL|_|OLDPWD|HOSTNAME|KUBERNETES_.*|PILOTHOUSE_.*|POD_.*)=/
  const others = environment.split("\n").filter((line) => /^\w+=/.test(line) && !allowed.test(line))
  attempt.expect(environment.includes("PATH=") && others.length === 0, "none of our variables", others)
}

/** A volume on a path of this host that is outside what was allowed is not scrubbed. */
async function hostPathEscapes(attempt: Attempt): Promise<void> {
  const { directory, admin, expect } = attempt
  const precious = join(directory, "precious")
  mkdirSync(precious)
  writeFileSync(join(precious, "file"), "x")
  const link = join(directory, "link")
  symlinkSync(precious, link)
  const volumes = "/api/v1/persistentvolumes"
  const paths = [precious, `${directory}/data/volumes/../../precious`, link, "/"]
  for (const [index, path] of paths.entries()) {
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: index % 2 === 0 ? "Recycle" : "Delete",
      hostPath: { path },
      claimRef: { namespace: "default", name: `gone-${index}`, uid: "00000000-0000-0000-0000-000000000000" },
    }
    await admin.create(volumes, { metadata: { name: `v-${index}` }, spec })
    await admin.send({
      method: "PATCH",
      path: `${volumes}/v-${index}/status`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { status: { phase: "Bound" } },
    })
  }
  await isTrueWithin(() => !existsSync(join(precious, "file")), 4000)
  expect(existsSync(join(precious, "file")), "a file outside of the volumes to be there still", "that it is gone")
}

/** Pods that are processes of this host. Only one cluster of a machine can have such pods at a time. */
export const podRows: readonly Row[] = [
  {
    number: 12,
    name: "security contexts of process pods",
    server: "up",
    flags: ["--ephemeral", "--exec"],
    descriptors: 2,
    attempt: securityContext,
  },
  { number: 16, name: "daemons that outlive their pod", server: "up", flags: ["--ephemeral", "--exec"], descriptors: 2, attempt: daemons },
  { number: 30, name: "what process pods inherit", server: "up", flags: ["--ephemeral", "--exec"], descriptors: 2, attempt: inheritance },
  { number: 110, name: "volumes that lead out of their folder", server: "up", attempt: hostPathEscapes },
]
