import type { ContainerStatus } from "@pilothouse/api/core/v1"
import { backOffRule, type ContainerChange, type ContainerRule, type ContainerView } from "./container-rules.ts"
import { runningStatus, startOf, terminatedStatus } from "./container-status.ts"
import { type KubeletEvent, normal, probeKilling, warning } from "./kubelet-event.ts"
import { type Complaint, isLive, isProcess, isStopping, type ProcessFacts } from "./process-facts.ts"
import { restartAt } from "./restart.ts"
import { containerGrace } from "./stop-processes.ts"
import { fresh, isToStartAgain, waitsWith } from "./waiting-container.ts"

/** Milliseconds until something that could not be started is tried again. */
const tryAgain = 10_000
/** The same where what it referred to has come since. */
const trySoon = 1000

/** What happens to a container that is a real process: its status follows what the process does. */
export const processRules: readonly ContainerRule[] = [
  {
    reason: "its process runs",
    at: (view) => (mayStart(view) === undefined ? undefined : started(next(view))?.startedAt),
    happens: ({ pod, container, status, process }) => {
      const { startedAt, ignored = [] } = process!.run(container.name, nextRun(status))!
      const running = runningStatus(pod, container, status, startedAt)
      const { name } = container
      return {
        status: { ...running, imageID: "process", containerID: `process://${pod.metadata.uid}/${name}/${running.restartCount}` },
        events: [normal("Created", "Container created"), normal("Started", "Container started"), ...withoutEffect(name, ignored)],
      }
    },
  },
  {
    reason: "its process could not be started",
    at: (view, now) => (mayStart(view) !== undefined && next(view)?.failure !== undefined && !saysSo(view) ? now : undefined),
    happens: (view) => {
      const { reason, message } = next(view)!.failure!
      return { status: waitsWith(view, reason, message), events: [warning("Failed", `Error: ${message}`)] }
    },
  },
  {
    reason: "its process has to be started",
    at: (view) => {
      const failed = next(view)
      if (!isProcess(view.container)) return undefined
      if (failed?.failure !== undefined) return failed.startedAt + (isThereNow(view, failed.failure.message) ? trySoon : tryAgain)
      return failed === undefined ? mayStart(view) : undefined
    },
    happens: ({ pod, container, status }) => ({
      status,
      order: { do: "start-process", pod, container: container.name, run: nextRun(status) },
    }),
  },
  {
    reason: "its process is not there any more",
    at: (view, now) => (startOf(view.status) !== undefined && current(view) === undefined ? now : undefined),
    happens: ({ status }, now) => {
      const message = "The process was not found: the program that had started it has ended"
      return { status: terminatedStatus(status, { exitCode: 137, at: now, reason: "ContainerStatusUnknown", message }) }
    },
  },
  {
    reason: "its process has ended",
    at: (view) => (startOf(view.status) === undefined ? undefined : current(view)?.ended?.at),
    happens: ended,
  },
  {
    reason: "its probe failed",
    at: (view, now) => (startOf(view.status) === undefined || complaintsOf(view).length === 0 ? undefined : now),
    happens: (view) => {
      const { pod, container, status } = view
      const complaints = complaintsOf(view)
      return {
        status,
        order: { do: "acknowledge-process", pod, container: container.name, run: status.restartCount, upTo: complaints.at(-1)!.number },
        events: complaints.map(({ text }) => warning("Unhealthy", text)),
      }
    },
  },
  {
    reason: "its image was changed",
    at: (view, now) => {
      const facts = startOf(view.status) === undefined ? undefined : current(view)
      return isLive(facts) && !isStopping(facts) && view.status.image !== (view.container.image ?? "") ? now : undefined
    },
    happens: ({ pod, container, status }, now) => ({
      status,
      order: { do: "stop-process", pod, container: container.name, run: status.restartCount, killAt: now + containerGrace(pod) },
      events: [normal("Killing", `Container ${container.name} definition changed, will be restarted`)],
    }),
  },
  {
    reason: "its probe fails too often",
    at: (view, now) => {
      const facts = startOf(view.status) === undefined ? undefined : current(view)
      return facts?.failed !== undefined && !isStopping(facts) ? now : undefined
    },
    happens: (view, now) => {
      const { pod, container, status } = view
      const failed = current(view)?.failed ?? "liveness"
      const probe = failed === "startup" ? container.startupProbe : container.livenessProbe
      const killAt = now + containerGrace(pod, probe?.terminationGracePeriodSeconds)
      return {
        status,
        order: { do: "stop-process", pod, container: container.name, run: status.restartCount, killAt },
        events: [probeKilling(pod, container, failed)],
      }
    },
  },
  {
    reason: "its probes say otherwise now",
    at: (view, now) => {
      const facts = startOf(view.status) === undefined ? undefined : current(view)
      if (facts === undefined) return undefined
      return facts.started !== (view.status.started ?? false) || facts.ready !== view.status.ready ? now : undefined
    },
    happens: (view) => {
      const { started: isStarted, ready } = current(view)!
      return { status: { ...view.status, started: isStarted, ready } }
    },
  },
  backOffRule,
]

/** When its next run may begin; undefined: it runs, or has ended for good. */
function mayStart({ pod, container, status, mayStartAt }: ContainerView): number | undefined {
  if (isToStartAgain(pod, container, status)) return restartAt(status, container)
  const reason = status.state?.waiting?.reason ?? ""
  return fresh.has(reason) || reason === "CreateContainerConfigError" || reason === "RunContainerError" ? mayStartAt : undefined
}

function nextRun({ restartCount, state, lastState }: ContainerStatus): number {
  return (state?.terminated ?? lastState?.terminated) === undefined ? restartCount : restartCount + 1
}

function next(view: ContainerView): ProcessFacts | undefined {
  return view.process?.run(view.container.name, nextRun(view.status))
}

function current(view: ContainerView): ProcessFacts | undefined {
  return view.process?.run(view.container.name, view.status.restartCount)
}

function complaintsOf(view: ContainerView): readonly Complaint[] {
  return current(view)?.complaints ?? []
}

function started(facts: ProcessFacts | undefined): ProcessFacts | undefined {
  return facts?.failure === undefined ? facts : undefined
}

function saysSo({ status, ...view }: ContainerView): boolean {
  return status.state?.waiting?.message === next({ status, ...view })?.failure?.message
}

function ended(view: ContainerView): ContainerChange {
  const { container, status, pod } = view
  const { ended: end, portTaken } = current(view)!
  const address = pod.status?.podIP
  const advice =
    address === "127.0.0.1"
      ? "this system has one loopback address, so only one pod can have a port"
      : `let it listen on $POD_IP (${address}), which is its pod's own, not on 0.0.0.0`
  const message = `Container ${container.name} ended because its port was taken ("${portTaken}"): ${advice}`
  return {
    status: terminatedStatus(status, { exitCode: end!.exitCode, at: end!.at }),
    events: portTaken !== undefined && end!.exitCode !== 0 ? [warning("PortTaken", message)] : [],
  }
}

function withoutEffect(container: string, fields: readonly string[]): readonly KubeletEvent[] {
  if (fields.length === 0) return []
  const message = `Container ${container}: ${fields.join(", ")} of its securityContext ${fields.length === 1 ? "has" : "have"} no effect on a process of this host`
  return [warning("SecurityContextIgnored", message)]
}

/** A ConfigMap or Secret was missing, or a key of one, and is there as far as the caches know. */
function isThereNow({ configFault }: ContainerView, message: string): boolean {
  // prose: the status has the fault in the kubelet's text only.
  return /^(configmap|secret) ".*" not found$|^couldn't find key /.test(message) && configFault !== undefined && configFault() === undefined
}
