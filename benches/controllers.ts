import type { Bench } from "./bench.ts"
import { benches } from "./controllers/pod-events.ts"

export const questions: readonly Bench[] = benches
