import { cached } from "../../tools/components/index.ts"

/** The skipReason of a suite that starts the real control plane. */
export function needsKubernetes(): string | undefined {
  return cached("kubernetes", "1.36.3") === undefined
    ? "kubernetes 1.36.3 is not cached: npm run components -- kubernetes builds it"
    : undefined
}
