// npm run bench -- api: what does Kubernetes' algebra cost? Ratios say how many times as fast ours is as theirs.
import { buildForImports, imports } from "./api/imports.ts"
import { patches } from "./api/patches.ts"
import { protobuf } from "./api/protobuf.ts"
import { quantities } from "./api/quantities.ts"
import { selectors } from "./api/selectors.ts"
import type { Bench } from "./bench.ts"

export const questions: readonly Bench[] = [patches, selectors, quantities, protobuf, imports]

export const prepare = buildForImports
