// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { Event } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const events: Descriptor<Event> = descriptorFromRow("events.k8s.io/v1 Event events event ev  n cdDglpuw")
