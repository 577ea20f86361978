import type { EmbeddedKnobs } from "../rest/knobs.ts"
import { octaviaProblem } from "../rest/problem.ts"
import type { EmbeddedAnswer, Handle, Routes } from "../rest/routes.ts"

/** "v2.5" */
const firstWithTags = 5

/** As old as the knob says: an Octavia without tags shows none, and refuses them. */
export function asOldAs(knobs: EmbeddedKnobs, routes: Routes): Routes {
  return Object.fromEntries(Object.entries(routes).map(([name, handle]) => [name, untagged(knobs, handle)]))
}

function untagged(knobs: EmbeddedKnobs, handle: Handle): Handle {
  return (request) => {
    if (knobs.octaviaMinor >= firstWithTags) return handle(request)
    if (JSON.stringify(request.body)?.includes('"tags":')) throw octaviaProblem(400, "Unknown attribute for argument: tags")
    return withoutTags(handle(request))
  }
}

export function withoutTags({ value, ...answer }: EmbeddedAnswer): EmbeddedAnswer {
  if (value === undefined) return answer
  return { ...answer, value: JSON.parse(JSON.stringify(value, (name, inner: unknown) => (name === "tags" ? undefined : inner))) }
}
