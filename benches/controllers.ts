import type { Bench } from "./bench.ts"
import { bench as podEvents } from "./controllers/pod-events.ts"

export const questions: readonly Bench[] = [podEvents]
