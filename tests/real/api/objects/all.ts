import { access } from "./access.ts"
import { configuration } from "./configuration.ts"
import type { SampleObject } from "./object.ts"
import { services } from "./services.ts"
import { storage } from "./storage.ts"
import { workloads } from "./workloads.ts"

/** In the order in which they can be created. */
export const samples: readonly SampleObject[] = [...configuration, ...access, ...services, ...storage, ...workloads]
