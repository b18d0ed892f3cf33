import { type Clock, every, type Logger, messageOf } from '@fairlead/control';
import { type KubeClient, type Leadership, leasedWrite, type Secret, secrets } from '@fairlead/kube';
import { SECRET, TOKEN } from '../membership/credentials.ts';
import { renewableFrom } from '../membership/token.ts';

const LOOK_MILLISECONDS = 600_000;

export interface TokenRenewalOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leadership: Leadership;
  readonly signal: AbortSignal;
  /** Of this cluster. */
  readonly client: KubeClient;
  /** In which Fairlead runs. */
  readonly namespace: string;
  /** Asks the broker for a new one, with the one that is still good. */
  readonly request: (signal: AbortSignal) => Promise<string>;
}

/**
 * Renews the token for the broker when half of its time is over, in the Secret that `fairlead join` wrote: the kubelet
 * brings it to the file that we read. Where the credentials are another's to keep, there is no such Secret.
 */
export async function keepTokenFresh(options: TokenRenewalOptions): Promise<void> {
  const { clock, logger, signal } = options;
  await every(clock, LOOK_MILLISECONDS, signal, async () => {
    try {
      if (await renewOnce(options)) logger.info({}, 'the token for the broker was renewed');
    } catch (error) {
      if (!signal.aborted) logger.warn({ error: messageOf(error) }, 'the token for the broker could not be renewed');
    }
  });
}

async function renewOnce({ clock, leadership, signal, client, namespace, request }: TokenRenewalOptions) {
  const secret = await client.find(secrets, { namespace, name: SECRET }, { signal });
  const token = Buffer.from(secret?.data?.[TOKEN] ?? '', 'base64').toString('utf8');
  const from = renewableFrom(token);
  if (secret === undefined || from === undefined || clock.now() < from) return false;
  const renewed = Buffer.from(await request(signal)).toString('base64');
  // Only to the version that was read: a token that an operator wrote meanwhile is newer than ours.
  const object: Secret = { ...secret, data: { ...secret.data, [TOKEN]: renewed } };
  await client.update(secrets, object, leasedWrite(leadership, 'fairlead-clusterset', signal));
  return true;
}
