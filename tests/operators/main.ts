// npm run test:operators [-- NAME…]: operators of third parties, compiled from their Go modules and unchanged, on `pilothouse up` with simulated nodes.
// Each must make its first custom resource healthy. Ends with "N passed, N failed"; an operator whose component is not cached is skipped.
import { binary } from "../../tools/components/index.ts"
import { Tally } from "../real/tally.ts"
import { argoWorkflows } from "./argo-workflows.ts"
import { certManager } from "./cert-manager.ts"
import { kueue } from "./kueue.ts"
import type { Operator } from "./operator.ts"
import { prometheusOperator } from "./prometheus-operator.ts"
import { runOperator } from "./run-operator.ts"
import { sampleApiServer } from "./sample-apiserver.ts"

const operators: readonly Operator[] = [prometheusOperator, argoWorkflows, kueue, certManager, sampleApiServer]

// The "exit" event is what ends components that still run; a signal alone would not raise it.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130))

const names = process.argv.slice(2)
const unknown = names.filter((name) => !operators.some(({ component }) => component === name))
if (unknown.length > 0) {
  console.error(`expected ${operators.map(({ component }) => component).join(", ")}, found ${unknown.join(", ")}`)
  process.exitCode = 2
} else await runOperators(operators.filter(({ component }) => names.length === 0 || names.includes(component)))

async function runOperators(chosen: readonly Operator[]): Promise<void> {
  const tally = new Tally(console.log)
  for (const operator of chosen) {
    const program = binary(operator.component, operator.component)
    if (program === undefined) tally.skip(operator.name, `SKIPPED, it is not cached: npm run components -- ${operator.component} builds it`)
    else await runOperator(tally, operator, program)
  }
  console.log(String(tally))
  process.exitCode = tally.failed === 0 ? 0 : 1
}
