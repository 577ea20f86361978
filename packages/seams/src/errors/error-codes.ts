interface CodeFacts {
  /** One sentence for docs/reference/errors.md; a test keeps the two equal. */
  readonly meaning: string
  readonly retryable: boolean
}

function codes<const Table extends Record<string, CodeFacts>>(table: Table): Table {
  return table
}

/** Every error code of the project. Adding one here without documenting it fails a test. */
export const errorCodes = codes({
  ABORTED: { meaning: "The caller's AbortSignal ended the operation.", retryable: false },
  CONNECTION_LOST: {
    meaning: "The transport failed before or while an answer came; the request may or may not have been carried out.",
    retryable: true,
  },
  STUCK: { meaning: "Virtual time cannot go on: something is waited for, and no timer is left that could bring it.", retryable: false },
  CLOCK_LIMIT: { meaning: "Virtual time ran past its limit before the awaited thing happened.", retryable: false },
  CLOCK_BUSY: { meaning: "Virtual time was to be moved by two callers at once.", retryable: false },
  FILE: { meaning: "A file or directory could not be read or written.", retryable: false },
  STATUS: { meaning: "The API server answered with a Status failure; its reason says which.", retryable: false },
  PROTOCOL: { meaning: "The other side sent something that is not what the protocol says.", retryable: false },
  INVALID: { meaning: "A value does not follow its rule; the message names the place and the rule.", retryable: false },
  COMPACTED: { meaning: "The asked revision is older than the history that is kept.", retryable: false },
  STORAGE_FAILED: {
    meaning:
      "A write could not be made durable, the storage is closed, or another process owns its directory. Reads go on; writes resume once it is opened again, or once a full disk has room.",
    retryable: false,
  },
  STORAGE_DAMAGED: {
    meaning: "A file of the durable storage is missing or not what was written; nothing was changed.",
    retryable: false,
  },
  STORAGE_LAYOUT: { meaning: "The durable storage was written by a newer Pilothouse; nothing was changed.", retryable: false },
  USAGE: { meaning: "A command was called with an unknown flag or a wrong value.", retryable: false },
  PORT_TAKEN: { meaning: "The asked port is in use by another program.", retryable: false },
  ADDRESS: { meaning: "The asked address cannot be listened on: it is not this machine's, or its port is for others.", retryable: false },
  DATA_DIRECTORY_LOCKED: { meaning: "Another running process has the data directory, or has taken it over.", retryable: false },
  DATA_DIRECTORY: {
    meaning: "The data directory cannot be used: not a directory, not readable and writable, or one with files of another program.",
    retryable: false,
  },
  BACKGROUND_START: { meaning: "A cluster that was started in the background ended before it was up.", retryable: false },
  CREDENTIALS: {
    meaning: "What is needed to identify oneself to a server could not be had: a token file, a certificate, an exec plugin.",
    retryable: false,
  },
  NO_CLUSTER: { meaning: "Nothing says where the API server is: no kubeconfig, and no service account of a pod.", retryable: false },
  TIMEOUT: { meaning: "The operation did not end within its time limit.", retryable: true },
  TERMINAL: { meaning: "A reconcile failed in a way that only a change of the object can mend; it is not retried.", retryable: false },
  RETRY_AFTER: {
    meaning: "Something has to be waited for that takes a known time; a reconcile that fails with it is retried then, and not sooner.",
    retryable: true,
  },
  CLOUD: { meaning: "The cloud could not do what it was asked for, or refused it; the message is the cloud's own.", retryable: true },
  LEADERSHIP_LOST: {
    meaning: "The lease of the leader could not be renewed in time; every controller has stopped.",
    retryable: false,
  },
})

/** A stable code of an error: a row of the table above. */
export type ErrorCode = keyof typeof errorCodes
