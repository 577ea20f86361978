import type { ContainerRule, ContainerView } from "./container-rules.ts"
import { warning } from "./kubelet-event.ts"
import { restartAt } from "./restart.ts"
import { fresh, isToStartAgain, waitsFor, waitsWith } from "./waiting-container.ts"

const reason = "CreateContainerConfigError"
const unconfigured: ReadonlySet<string> = new Set([reason])

/** What happens to a container whose ConfigMaps and Secrets are not there. */
export const configRules: readonly ContainerRule[] = [
  {
    reason: "what its environment refers to is not there",
    at: (view, now) => {
      const at = neededAt(view, now)
      return at === undefined || isAsSaid(view, view.configFault?.()) ? undefined : at
    },
    happens: (view) => {
      const message = view.configFault?.()
      return { status: waitsWith(view, reason, message), events: [warning("Failed", `Error: ${message}`)] }
    },
  },
  {
    reason: "what its environment refers to is there now",
    at: (view, now) =>
      waitsFor(view, unconfigured) && view.configFault !== undefined && view.configFault() === undefined ? now : undefined,
    happens: (view) => ({ status: waitsWith(view, "ContainerCreating") }),
  },
]

/** When it needs them: whenever it starts. */
function neededAt(view: ContainerView, now: number): number | undefined {
  const { pod, container, status, mayStartAt } = view
  if (waitsFor(view, fresh)) return mayStartAt
  if (waitsFor(view, unconfigured)) return now
  return isToStartAgain(pod, container, status) ? restartAt(status, container) : undefined
}

/** Nothing is missing, or what was said to be: where it is something else by now, that is said too. */
function isAsSaid(view: ContainerView, fault: string | undefined): boolean {
  return fault === undefined || (waitsFor(view, unconfigured) && view.status.state?.waiting?.message === fault)
}
