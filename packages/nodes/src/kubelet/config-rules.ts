import type { ContainerRule, ContainerView } from "./container-rules.ts"
import { warning } from "./kubelet-event.ts"
import { restartAt } from "./restart.ts"
import { fresh, isToStartAgain, waitsFor, waitsWith } from "./waiting-container.ts"

const reason = "CreateContainerConfigError"
const unconfigured: ReadonlySet<string> = new Set([reason])

/** What happens to a container whose ConfigMaps and Secrets are not there. */
export const configRules: readonly ContainerRule[] = [
  {
    because: "what its environment refers to is not there",
    at: (view, now) => (view.configFault === undefined ? undefined : neededAt(view, now)),
    happens: (view) => ({
      status: waitsWith(view, reason, view.configFault),
      events: [warning("Failed", `Error: ${view.configFault}`)],
    }),
  },
  {
    because: "what its environment refers to is there now",
    at: (view, now) => (waitsFor(view, unconfigured) && view.configFault === undefined ? now : undefined),
    happens: (view) => ({ status: waitsWith(view, "ContainerCreating") }),
  },
]

/** When it needs them: whenever it starts; and where something else is missing by now, that is said. */
function neededAt(view: ContainerView, now: number): number | undefined {
  const { pod, container, status, mayStartAt, configFault } = view
  if (waitsFor(view, fresh)) return mayStartAt
  if (waitsFor(view, unconfigured)) return status.state?.waiting?.message === configFault ? undefined : now
  return isToStartAgain(pod, container, status) ? restartAt(status, container) : undefined
}
