import type { PlannedEvent } from "../controller/plan.ts"

/** A planned event with who says it. */
export interface SourcedEvent extends PlannedEvent {
  readonly component: string
}

/** Who says something about what. */
export function sourceKey({ component, about }: SourcedEvent): string {
  const { namespace, name, uid } = about.metadata
  return [component, about.apiVersion, about.kind, namespace, name, uid].join("/")
}
