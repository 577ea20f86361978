import { isSidecar, parseTime } from "@pilothouse/api"
import type { Container, ContainerStatus, Pod } from "@pilothouse/api/core/v1"

const firstWait = 10_000
const longestWait = 300_000
/** A run this long is forgiven what was before it. */
const goodRun = 600_000

/** Whether a container that ended so is started again. */
export function restarts({ spec }: Pod, container: Container, exitCode: number): boolean {
  if (spec?.ephemeralContainers?.some(({ name }) => name === container.name)) return false
  if (isSidecar(container) || isToRestartOn(container, exitCode)) return true
  const isInit = spec?.initContainers?.some(({ name }) => name === container.name)
  const policy = container.restartPolicy ?? spec?.restartPolicy ?? "Always"
  if (policy === "Never") return false
  return (policy === "Always" && !isInit) || exitCode !== 0
}

/** Rules of its own say so, whatever the policy is. */
function isToRestartOn({ restartPolicyRules = [] }: Container, exitCode: number): boolean {
  return restartPolicyRules.some(({ action, exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false
    return action === "Restart" && exitCodes !== undefined && listed === (exitCodes.operator === "In")
  })
}

/** Milliseconds between its end and its next start: none the first time, then 10 s, 20 s … up to 5 min. */
export function restartWait({ restartCount, state, lastState }: ContainerStatus): number {
  if (restartCount === 0) return 0
  const { startedAt, finishedAt } = state?.terminated ?? lastState?.terminated ?? {}
  if (startedAt && finishedAt && parseTime(finishedAt) - parseTime(startedAt) >= goodRun) return 0
  return Math.min(firstWait * 2 ** (restartCount - 1), longestWait)
}

/** When it may start again. */
export function restartAt(status: ContainerStatus): number {
  const finishedAt = (status.state?.terminated ?? status.lastState?.terminated)?.finishedAt
  return (finishedAt === undefined ? 0 : parseTime(finishedAt)) + restartWait(status)
}

/** As Go writes it: "10s", "1m20s", "5m0s". */
export function goSeconds(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
