import { parseLabelSelector, type Selector } from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import { messageOf } from "@pilothouse/seams"

/** Why the pods of a target are not known. */
export interface SelectorProblem {
  /** Of the event. */
  readonly event: string
  /** Of the condition ScalingActive. */
  readonly reason: string
  readonly message: string
  /** What the condition says, where it is not the message. */
  readonly condition?: string
}

/** Which pods the target runs. */
export function targetSelector({ status }: Scale): Selector | { readonly problem: SelectorProblem } {
  const text = status?.selector ?? ""
  if (text === "") {
    const condition = "the HPA target's scale is missing a selector"
    return { problem: { event: "SelectorRequired", reason: "InvalidSelector", message: "selector is required", condition } }
  }
  try {
    return parseLabelSelector(text)
  } catch (error) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`
    return { problem: { event: "InvalidSelector", reason: "InvalidSelector", message } }
  }
}

/** Two autoscalers that pull at the same pods would fight. */
export function ambiguous({ status }: Scale, rivals: readonly string[]): SelectorProblem {
  const message = `pods by selector ${status?.selector} are controlled by multiple HPAs: [${rivals.join(" ")}]`
  return { event: "AmbiguousSelector", reason: "AmbiguousSelector", message }
}
