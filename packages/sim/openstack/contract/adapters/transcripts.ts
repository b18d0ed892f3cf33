import { join } from 'node:path';
import { Transcripts } from '../../../contract/adapters/transcripts.ts';
import type { TranscriptEntry } from '../stage.ts';

/** What real Keystone and Neutron answered. */
export const transcripts = new Transcripts<TranscriptEntry>(join(import.meta.dirname, '..', 'transcripts'));
