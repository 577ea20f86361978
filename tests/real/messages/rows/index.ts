import type { Row } from "../row.ts"
import { certificates, indexes } from "./certificates.ts"
import { events } from "./events.ts"
import { metadata } from "./metadata.ts"
import { others } from "./others.ts"
import { patches } from "./patches.ts"
import { pods } from "./pods.ts"
import { reading } from "./reading.ts"
import { requests } from "./requests.ts"
import { services } from "./services.ts"
import { changes } from "./volumes.ts"
import { workloads } from "./workloads.ts"

/** By subject. */
export const table: Readonly<Record<string, readonly Row[]>> = {
  requests,
  reading,
  patches,
  metadata,
  pods,
  workloads,
  others,
  services,
  changes,
  events,
  certificates,
  indexes,
}
