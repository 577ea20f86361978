// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { Event } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const events: Descriptor<Event> = describe("events.k8s.io/v1 Event events event ev  n cdDglpuw")
