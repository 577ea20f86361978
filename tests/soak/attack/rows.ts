import { answerRows } from "./answer-rows.ts"
import { bodyRows } from "./body-rows.ts"
import { celRows } from "./cel-rows.ts"
import { certificateRows } from "./certificate-rows.ts"
import { connectionRows } from "./connection-rows.ts"
import { credentialRows } from "./credential-rows.ts"
import { diskRows } from "./disk-rows.ts"
import { extensionRows } from "./extension-rows.ts"
import { growthRows } from "./growth-rows.ts"
import { identityRows } from "./identity-rows.ts"
import { objectRows } from "./object-rows.ts"
import { operatorRows } from "./operator-rows.ts"
import { plainHttpRows } from "./plain-http-rows.ts"
import { podRows } from "./pod-rows.ts"
import type { Row } from "./row.ts"
import { stopRows } from "./stop-rows.ts"
import { storageRows } from "./storage-rows.ts"
import { streamRows } from "./stream-rows.ts"
import { timeRows } from "./time-rows.ts"
import { unfinishedRows } from "./unfinished-rows.ts"
import { webhookRows } from "./webhook-rows.ts"
import { wideObjectRows } from "./wide-object-rows.ts"
import { wideRequestRows } from "./wide-request-rows.ts"
import { xdsRows } from "./xds-rows.ts"

/** All of them, in the order that they are tried in. */
export const rows: readonly Row[] = [
  ...timeRows,
  ...bodyRows,
  ...objectRows,
  ...connectionRows,
  ...unfinishedRows,
  ...stopRows,
  ...storageRows,
  ...diskRows,
  ...credentialRows,
  ...plainHttpRows,
  ...podRows,
  ...growthRows,
  ...answerRows,
  ...identityRows,
  ...certificateRows,
  ...xdsRows,
  ...extensionRows,
  ...operatorRows,
  ...streamRows,
  ...webhookRows,
  ...celRows,
  ...wideObjectRows,
  ...wideRequestRows,
]
